package artifact

import (
	"encoding/xml"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// extensions are those that the file of an SD may have, the usual one first.
var extensions = []string{"json", "yaml", "yml"}

const snapshot = "-SNAPSHOT"

// timestamped is the version of one build of a snapshot: 1.2-20260102.123456-7.
var timestamped = regexp.MustCompile(`^(.+)-\d{8}\.\d{6}-\d+$`)

// coordinates are those of an artifact's version in a repository of the Maven layout.
type coordinates struct {
	repository string
	group      string
	artifact   string
	version    string
}

// file is a file in a repository.
type file struct {
	url string
	// lasting says that it never changes.
	lasting bool
}

// folder is the URL of what belongs to a version.
func (c coordinates) folder(version string) string {
	parts := []string{c.repository}
	for _, part := range append(strings.Split(c.group, "."), c.artifact, version) {
		parts = append(parts, url.PathEscape(part))
	}
	return strings.Join(parts, "/") + "/"
}

// metadata is the URL of the list of a snapshot's builds.
func (c coordinates) metadata() string { return c.folder(c.version) + "maven-metadata.xml" }

// file is the version's file in a folder.
func (c coordinates) file(folder, version, extension string, lasting bool) file {
	return file{c.folder(folder) + url.PathEscape(c.artifact+"-"+version+"."+extension), lasting}
}

func (c coordinates) isSnapshot() bool { return strings.HasSuffix(c.version, snapshot) }

// files are where the version may be, in the order to look. Of a snapshot it is only the place
// without a list of builds.
func (c coordinates) files() []file {
	folders := []string{c.version}
	if m := timestamped.FindStringSubmatch(c.version); m != nil {
		folders = []string{m[1] + snapshot, c.version}
	}
	var all []file
	for _, folder := range folders {
		for _, extension := range extensions {
			all = append(all, c.file(folder, c.version, extension, !c.isSnapshot()))
		}
	}
	return all
}

// builds is maven-metadata.xml as far as it says which build of a snapshot is the newest.
type builds struct {
	Timestamp string `xml:"versioning>snapshot>timestamp"`
	Number    string `xml:"versioning>snapshot>buildNumber"`
	Files     []struct {
		Classifier string `xml:"classifier"`
		Extension  string `xml:"extension"`
		Version    string `xml:"value"`
	} `xml:"versioning>snapshotVersions>snapshotVersion"`
}

// newest returns the files of the newest build of a snapshot, none when the list does not tell.
func (c coordinates) newest(metadata []byte) ([]file, error) {
	var b builds
	if err := xml.Unmarshal(metadata, &b); err != nil {
		return nil, err
	}
	var all []file
	for _, extension := range extensions {
		for _, f := range b.Files {
			if f.Classifier == "" && f.Extension == extension && f.Version != "" {
				all = append(all, c.file(c.version, f.Version, extension, f.Version != c.version))
			}
		}
	}
	if len(all) > 0 || b.Timestamp == "" || b.Number == "" {
		return all, nil
	}
	version := strings.TrimSuffix(c.version, snapshot) + "-" + b.Timestamp + "-" + b.Number
	for _, extension := range extensions {
		all = append(all, c.file(c.version, version, extension, true))
	}
	return all, nil
}

// isSegment reports whether a text can be a part of a path in a repository.
func isSegment(text string) bool {
	return text != "" && !slices.Contains([]string{".", ".."}, text) && !strings.ContainsAny(text, "/\\\x00")
}
