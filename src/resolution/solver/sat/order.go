package sat

// order is a heap of the variables that may have to be decided, the most active first.
type order struct {
	heap     []int
	place    []int // of a variable in the heap, -1 if it is not there
	activity []float64
	last     []Lit // what a variable was the last time
	bump     float64
}

func (o *order) grow() {
	o.place = append(o.place, -1)
	o.activity = append(o.activity, 0)
	o.last = append(o.last, 0)
}

// phase is the variable as it was the last time, at first false.
func (o *order) phase(v int) Lit {
	if o.last[v] != 0 {
		return o.last[v]
	}
	return Lit(v<<1 | 1)
}

// back takes a variable back whose assignment is taken back.
func (o *order) back(v int, l Lit) {
	o.last[v] = l
	o.add(v)
}

func (o *order) add(v int) {
	if o.place[v] < 0 {
		o.heap = append(o.heap, v)
		o.place[v] = len(o.heap) - 1
		o.up(o.place[v])
	}
}

func (o *order) bumpVariable(v int) {
	if o.activity[v] += o.bump; o.activity[v] > tooMuch {
		for i := range o.activity {
			o.activity[i] /= tooMuch
		}
		o.bump /= tooMuch
	}
	if o.place[v] >= 0 {
		o.up(o.place[v])
	}
}

func (o *order) pop() (int, bool) {
	if len(o.heap) == 0 {
		return 0, false
	}
	v := o.heap[0]
	o.place[v] = -1
	last := o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	if len(o.heap) > 0 {
		o.set(0, last)
		o.down(0)
	}
	return v, true
}

// before orders variables: more active, and of equals the older one.
func (o *order) before(v, w int) bool {
	if o.activity[v] != o.activity[w] {
		return o.activity[v] > o.activity[w]
	}
	return v < w
}

func (o *order) set(i, v int) { o.heap[i], o.place[v] = v, i }

func (o *order) up(i int) {
	v := o.heap[i]
	for i > 0 && o.before(v, o.heap[(i-1)/2]) {
		o.set(i, o.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	o.set(i, v)
}

func (o *order) down(i int) {
	v := o.heap[i]
	for {
		child := 2*i + 1
		if child >= len(o.heap) {
			break
		}
		if child+1 < len(o.heap) && o.before(o.heap[child+1], o.heap[child]) {
			child++
		}
		if !o.before(o.heap[child], v) {
			break
		}
		o.set(i, o.heap[child])
		i = child
	}
	o.set(i, v)
}
