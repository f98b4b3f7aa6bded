package value

// Equal reports whether two values are the same: the order of members and the positions do not
// matter, the order of items and the text of numbers do (1 is not 1.0). A nil value equals only nil.
func Equal(a, b *Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Items {
		if !Equal(a.Items[i], b.Items[i]) {
			return false
		}
	}
	return equalMembers(a, b)
}

func equalMembers(a, b *Value) bool {
	var others Index // made only when the order differs, which is rare
	for i, m := range a.Members {
		j := i
		if b.Members[j].Name != m.Name {
			if others.members == nil {
				others = IndexOf(b)
			}
			j = others.find(m.Name)
		}
		if j < 0 || !Equal(m.Value, b.Members[j].Value) {
			return false
		}
	}
	return true
}
