package contestant

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"dyno/internal/scenario"
)

// folders are the project folders in the archive.
var folders = []string{Folder, ServiceFolder, scenario.Folder, "studies"}

const comment = "The project that dyno carries with it, made by: go generate ./internal/contestant\n\n"

// pack returns the archive of a project's files, without recordings and the pages made from them.
func pack(fsys fs.FS) ([]byte, error) {
	all := &txtar.Archive{Comment: []byte(comment)}
	for _, folder := range folders {
		below, err := fs.Sub(fsys, folder)
		if err != nil {
			return nil, err
		}
		names, err := SourceFiles(below)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			name = path.Join(folder, name)
			if folder == "studies" && !isSource(name) || path.Dir(name) == folder && path.Ext(name) == ".md" {
				continue
			}
			st, err := fs.Stat(fsys, name)
			if err == nil && st.Mode()&0o111 != 0 {
				err = fmt.Errorf("%s is executable, which the archive cannot record", name)
			}
			if err != nil {
				return nil, err
			}
			b, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			all.Files = append(all.Files, file(name, b))
		}
	}
	slices.SortFunc(all.Files, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	return txtar.Format(all), nil
}

// isSource reports whether a study's file is written by hand.
func isSource(name string) bool { return slices.Contains([]string{".toml", ".csv"}, path.Ext(name)) }

// file returns a file as stored in the archive: unchanged if the format can hold it, else in base64.
func file(name string, b []byte) txtar.File {
	text := string(b)
	plain := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: name, Data: b}}}))
	if utf8.Valid(b) && !strings.ContainsAny(text, "\x00\r") && len(plain.Files) == 1 &&
		string(plain.Files[0].Data) == text {
		return txtar.File{Name: name, Data: b}
	}
	return txtar.File{Name: name + encoded, Data: []byte(base64.StdEncoding.EncodeToString(b) + "\n")}
}
