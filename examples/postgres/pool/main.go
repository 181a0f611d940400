// Command pool answers GET /users/7 with that row of PostgreSQL's table users, by pgx's own pool.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	db, err := pgxpool.New(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		var user struct {
			ID   int    `json:"id"`
			Name string `json:"name"`
		}
		row := db.QueryRow(r.Context(), "SELECT id, name FROM users WHERE id = $1", r.PathValue("id"))
		if err := row.Scan(&user.ID, &user.Name); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(user)
	})
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
