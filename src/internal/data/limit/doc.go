// Package limit bounds what is read from outside: answers of other servers, archives, and what others wrote to a repository. A reader
// stops before more than the limit is in memory, and its error names the limit, what it applies to, and how it is raised.
package limit
