// Package overridetest is the use cases of parameters and overrides over HTTP, by level and context. What
// serves them, with which backend and with or without a repository behind it, does not matter:
//
//	func TestUseCases(t *testing.T) {
//		overridetest.Run(t, func(t testing.TB, files map[string]string) string {
//			... // start a server on an inventory made of these files of an instance repository
//			return url
//		})
//	}
package overridetest
