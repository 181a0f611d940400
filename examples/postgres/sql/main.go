// Command sql answers as command pool does, by database/sql.
package main

import (
	"database/sql"
	"encoding/json"
	"log"
	"net/http"
	"os"

	_ "github.com/jackc/pgx/v5/stdlib"
)

func main() {
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(20)
	db.SetMaxIdleConns(20)
	http.HandleFunc("GET /users/{id}", func(w http.ResponseWriter, r *http.Request) {
		var user struct {
			ID   int    `json:"id"`
			Name string `json:"name"`
		}
		row := db.QueryRowContext(r.Context(), "SELECT id, name FROM users WHERE id = $1", r.PathValue("id"))
		if err := row.Scan(&user.ID, &user.Name); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(user)
	})
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
