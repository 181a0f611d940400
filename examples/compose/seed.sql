CREATE TABLE users (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO users SELECT n, 'user ' || n FROM generate_series(1, 10000) n;
