// The bare epoll loop: the least that a load generator can do, and so the floor for all others. It keeps one request in flight on each of
// its connections and looks at no answer; an answer ends where its length says, which is that of the first one.
//
//	gcc -O2 -o loop loop.c && ./loop 127.0.0.1 5099 CONNECTIONS SECONDS
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

static void die(const char *what) { perror(what); exit(1); }

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void ask(int fd) {
	if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) != sizeof request - 1) die("send");
}

int main(int argc, char **argv) {
	if (argc != 5) return fprintf(stderr, "usage: loop ADDRESS PORT CONNECTIONS SECONDS\n"), 2;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[2]))};
	int conns = atoi(argv[3]), ep = epoll_create1(0), one = 1, *fds = calloc(conns, sizeof *fds);
	if (inet_pton(AF_INET, argv[1], &to.sin_addr) != 1 || ep < 0 || !fds) die("set up");
	for (int i = 0; i < conns; i++) {
		if ((fds[i] = socket(AF_INET, SOCK_STREAM, 0)) < 0 || connect(fds[i], (struct sockaddr *)&to, sizeof to)) die("connect");
		setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.fd = fds[i]};
		if (epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &e)) die("epoll_ctl");
	}
	static char in[1 << 16];
	ask(fds[0]);
	ssize_t length = recv(fds[0], in, sizeof in, 0);
	int *got = calloc(fds[conns - 1] + 1, sizeof *got); // bytes of the answer under way, by descriptor
	if (length <= 0 || !got) die("first answer");
	long done = 0;
	double start = now(), end = start + atof(argv[4]), t = start;
	for (int i = 0; i < conns; i++) ask(fds[i]);
	while ((t = now()) < end) {
		struct epoll_event events[256];
		int n = epoll_wait(ep, events, 256, 100);
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			ssize_t k = recv(fd, in, sizeof in, MSG_DONTWAIT);
			if (k == 0) return fprintf(stderr, "the server closed a connection\n"), 1;
			if (k < 0) continue; // nothing there: the first answer's event
			if ((got[fd] += k) < length) continue;
			got[fd] = 0;
			done++;
			ask(fd);
		}
	}
	printf("%ld requests in %.6f s\n", done, t - start);
	return 0;
}
