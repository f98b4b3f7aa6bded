// Package instancerepotest makes large instance repositories for tests and benchmarks.
package instancerepotest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dovetail-store/dovetail/src/internal/git/instancerepo"
)

// perCluster is how many environments a cluster gets.
const perCluster = 20

// Many returns the files of an instance repository with n environments, the copies of those of a sample in
// turn, on as many clusters as they need. What no environment owns is there once, what a cluster owns once
// in each cluster.
func Many(sample fs.FS, n int) ([]instancerepo.File, error) {
	var files, ofClusters []instancerepo.File
	var environments []string
	of := make(map[string][]instancerepo.File)
	err := fs.WalkDir(sample, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sample, name)
		f := instancerepo.File{Path: name, Data: data}
		parts := strings.Split(name, "/")
		if env, ok := instancerepo.EnvironmentOf(name); ok {
			if of[env.String()] == nil {
				environments = append(environments, env.String())
			}
			f.Path = strings.Join(parts[3:], "/")
			of[env.String()] = append(of[env.String()], f)
		} else if len(parts) > 3 && parts[0] == "environments" {
			f.Path = strings.Join(parts[2:], "/")
			ofClusters = append(ofClusters, f)
		} else {
			files = append(files, f)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(environments) == 0 {
		return nil, errors.New("the sample has no environments")
	}
	for i := range n {
		cluster := fmt.Sprintf("environments/cluster-%04d", i/perCluster)
		if i%perCluster == 0 {
			for _, f := range ofClusters {
				if f.Path = path.Join(cluster, f.Path); !has(files, f.Path) {
					files = append(files, f)
				}
			}
		}
		for _, f := range of[environments[i%len(environments)]] {
			f.Path = path.Join(cluster, fmt.Sprintf("env-%04d", i), f.Path)
			files = append(files, f)
		}
	}
	return files, nil
}

// has looks among the last files, where those of the same cluster are.
func has(files []instancerepo.File, name string) bool {
	for i := len(files) - 1; i >= 0 && i > len(files)-100; i-- {
		if files[i].Path == name {
			return true
		}
	}
	return false
}

// Write writes files below a folder.
func Write(dir string, files []instancerepo.File) error {
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil { //nolint:gosec // a test's files hold no secrets
			return err
		}
	}
	return nil
}
