package bundle

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	_ "embed"

	"golang.org/x/tools/txtar"

	"dyno/internal/contestant"
	"dyno/internal/scenario"
	"dyno/internal/study"
)

// folders are the folders of a project that the archive contains.
var folders = []string{contestant.Folder, contestant.BackendFolder, scenario.Folder, study.Folder}

// archive holds the project that this program was built from, in the format txtar. It is text with
// sorted files, so that git merges changes of two branches as in the files themselves.
//
//go:generate go test . -run TestArchive -update
//go:embed bundle.txtar
var archive []byte

const comment = "The project that dyno carries with it, made by: go generate ./internal/bundle\n\n"

// encoded is the suffix of names in the archive of binary files, which are stored in base64.
const encoded = ".base64"

// pack returns the archive of a project's files, without recordings and the pages made of them.
func pack(fsys fs.FS) ([]byte, error) {
	all := &txtar.Archive{Comment: []byte(comment)}
	for _, folder := range folders {
		names, err := contestant.SourceFiles(fsys, folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if folder == study.Folder && !isSource(name) {
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

// isSource reports whether a file of a study is written by hand.
func isSource(name string) bool { return slices.Contains([]string{".toml", ".csv"}, path.Ext(name)) }

// file returns a file in the form of the archive: unchanged if the format can hold it, else in
// base64.
func file(name string, b []byte) txtar.File {
	text := string(b)
	plain := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: name, Data: b}}}))
	if utf8.Valid(b) && !strings.ContainsAny(text, "\x00\r") && len(plain.Files) == 1 &&
		string(plain.Files[0].Data) == text {
		return txtar.File{Name: name, Data: b}
	}
	return txtar.File{Name: name + encoded, Data: []byte(base64.StdEncoding.EncodeToString(b) + "\n")}
}

// unpack writes the files of an archive below dir.
func unpack(archive []byte, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range txtar.Parse(archive).Files {
		name, isEncoded := strings.CutSuffix(f.Name, encoded)
		if isEncoded {
			if f.Data, err = base64.StdEncoding.DecodeString(string(f.Data)); err != nil {
				return fmt.Errorf("unpack %s: %w", f.Name, err)
			}
		}
		name = filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
