package fleet

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A folder is sent as a zip archive, in pieces: each is an order. Both sides keep it in a file without a name, which
// ends with the process.

const (
	mostTree    = 2 << 30 // bytes of all files
	mostArchive = mostTree + mostTree/8
	piece       = 2 << 20 // bytes in an order
)

// pack writes a folder's archive. A link or a device in the folder is an error.
func pack(w io.Writer, fsys fs.FS) error {
	left := int64(mostTree)
	if err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is a link or a device; only files and folders are sent to other machines: put the file "+
				"itself there", name)
		}
		if left -= info.Size(); left < 0 {
			return fmt.Errorf("%s has %d bytes, and a folder %d MB at most", name, info.Size(), mostTree>>20)
		}
		return nil
	}); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	if err := z.AddFS(fsys); err != nil {
		return err
	}
	return z.Close()
}

// unpack writes an archive's files into a new folder, and nothing outside it.
func unpack(folder string, archive io.ReaderAt, size int64) error {
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return fmt.Errorf("the archive is damaged: %w", err)
	}
	return os.CopyFS(folder, z) // opens files only by their path in z, and makes no link
}

// nameless returns a new file without a name.
func nameless() (*os.File, error) {
	f, err := os.CreateTemp("", "dyno-sources-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// archived returns a folder's archive.
func archived(fsys fs.FS) (*os.File, error) {
	f, err := nameless()
	if err == nil {
		if err = pack(f, fsys); err != nil {
			f.Close()
		}
	}
	return f, err
}

// give sends an agent a folder's archive.
func (h *Hub) give(ctx context.Context, agent string, archive *os.File) error {
	buf := make([]byte, piece)
	for at := int64(0); ; {
		n, err := archive.ReadAt(buf, at)
		if n > 0 {
			if _, err := ask(ctx, h, agent, toTake, buf[:n], serverLimit); err != nil {
				return fmt.Errorf("send the sources: %w", err)
			}
		}
		at += int64(n)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// take adds a piece to the archive with the sources for the next run.
func (s *session) take(data *[]byte) (Done, error) {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	if s.archive == nil {
		f, err := nameless()
		if err != nil {
			return Done{}, err
		}
		s.archive, s.taken = f, 0
	}
	if s.taken += int64(len(*data)); s.taken > mostArchive {
		return Done{}, unfit{fmt.Errorf("the archive has more than %d MB", mostArchive>>20)}
	}
	_, err := s.archive.Write(*data)
	return Done{}, err
}

// unpacked unpacks the archive that was taken into a new folder, and drops it.
func (s *session) unpacked(folder string) error {
	s.kept.mu.Lock()
	archive, size := s.archive, s.taken
	s.archive = nil
	s.kept.mu.Unlock()
	if archive == nil {
		return unfit{errors.New("the run's sources were not sent")}
	}
	defer archive.Close()
	return unpack(folder, archive, size)
}
