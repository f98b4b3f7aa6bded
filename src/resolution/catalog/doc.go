// Package catalog reads file-based catalogs of operators (documents of the schemas olm.package,
// olm.channel, olm.bundle and olm.deprecations) and makes a source of packages of them, as
// resolutions use it: names of bundles become versions, requirements become selectors, and ranges
// are written in the way of Masterminds/semver.
//
// It is pure.
package catalog
