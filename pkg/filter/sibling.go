package filter

import (
	"os"
	"os/exec"
	"path/filepath"

	"paicode/pkg/turn"
)

// Sibling returns the path of another command of Pai: the one that lies
// beside this program, else the one on PATH. It fails with CodeInternal where
// there is neither.
func Sibling(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", turn.Errorf(turn.CodeInternal, "the command %q is missing", name).
			WithHint("it belongs beside this program or on PATH; make install puts all five there")
	}
	return path, nil
}
