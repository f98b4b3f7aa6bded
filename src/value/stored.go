package value

import "github.com/dovetail-store/dovetail/src/dovetail"

// DataOf parses the data of a stored document, whatever its size: see ParseStored. The error names the document.
func DataOf(doc *dovetail.Document, charge func(values int) error) (*Value, error) {
	return ofStored(doc, doc.Data, charge)
}

// StatusOf parses the status of a stored document, as DataOf does its data.
func StatusOf(doc *dovetail.Document) (*Value, error) { return ofStored(doc, doc.Status, nil) }

// ParseStored parses JSON that a store holds. It passed the limits on its way in, so that none apply: what is stored stays
// readable when the limits become lower. The error is that of charge, which counts the values as Limits.Charge does and may
// be nil, or has CodeCorrupt.
func ParseStored(text []byte, charge func(values int) error) (*Value, error) {
	return ofStored(&dovetail.Document{}, text, charge)
}

func ofStored(doc *dovetail.Document, text []byte, charge func(values int) error) (*Value, error) {
	none := max(1, len(text))
	limits := Limits{Bytes: none, Depth: none, Values: none}
	var refused error
	if charge != nil {
		limits.Charge = func(values int) error {
			refused = charge(values)
			return refused
		}
	}
	v, err := ParseJSON(text, limits)
	switch {
	case refused != nil:
		return nil, refused
	case err != nil:
		return nil, dovetail.UnreadableData(doc.ID, err)
	}
	return v, nil
}
