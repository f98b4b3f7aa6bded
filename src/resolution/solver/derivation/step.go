package derivation

// Step is a part of a proof: what follows from facts and from steps before it.
type Step struct {
	Because   []Reason
	Therefore *Incompatibility // without terms in the last step
}

// Reason is a fact, a step before, or a chain of facts of which each leads to the next.
type Reason struct {
	Fact  int   // -1 where it is another one
	Step  int   // its index; -1 where it is another one
	Chain []int // facts
}

const (
	fewReasons = 3 // what a step has at most, where its causes can be steps of their own
	longChain  = 4 // from how many facts on a chain is one reason
)

// Steps puts a proof in an order in which each step comes after those that it follows from. Facts that are links, from one package to another,
// may be in chains.
func Steps(proof *Incompatibility, link func(fact int) bool) []Step {
	w := &writer{link: link, uses: make(map[*Incompatibility]int), at: make(map[*Incompatibility]int)}
	w.count(proof)
	w.write(proof)
	return w.steps
}

type writer struct {
	link  func(int) bool
	uses  map[*Incompatibility]int
	at    map[*Incompatibility]int // the index of the step of an incompatibility
	steps []Step
}

// count counts how often each incompatibility is a cause.
func (w *writer) count(proof *Incompatibility) {
	for stack := []*Incompatibility{proof}; len(stack) > 0; {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if i.Fact >= 0 {
			continue
		}
		for _, cause := range i.Causes {
			if w.uses[cause]++; w.uses[cause] == 1 {
				stack = append(stack, cause)
			}
		}
	}
}

// part is a reason before it is known whether it is a step of its own.
type part struct {
	of    *Incompatibility
	chain []int
}

// parts returns what an incompatibility follows from: its causes, or a chain and the cause at the end of it.
func (w *writer) parts(i *Incompatibility) []part {
	if i.Fact >= 0 {
		return []part{{of: i}}
	}
	var chain []int
	end := i
	for {
		fact, rest := w.linked(end)
		if rest == nil {
			break
		}
		chain = append(chain, fact.Fact)
		end = rest
		if w.uses[rest] > 1 || rest.Fact >= 0 {
			break
		}
	}
	if len(chain) >= longChain {
		return []part{{chain: chain}, {of: end}}
	}
	return []part{{of: i.Causes[0]}, {of: i.Causes[1]}}
}

// linked returns the link of which, with something else, an incompatibility follows; nil where it is otherwise.
func (w *writer) linked(i *Incompatibility) (link, rest *Incompatibility) {
	if i.Fact >= 0 {
		return nil, nil
	}
	for at, cause := range i.Causes {
		if cause.Fact >= 0 && len(cause.Terms) == 2 && w.link(cause.Fact) {
			return cause, i.Causes[1-at]
		}
	}
	return nil, nil
}

// write writes the step of an incompatibility after those that it follows from.
func (w *writer) write(proof *Incompatibility) {
	type frame struct {
		of    *Incompatibility
		parts []part
	}
	stack := []frame{{of: proof}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.parts == nil {
			top.parts = w.expanded(top.of)
		}
		var missing *Incompatibility
		for _, p := range top.parts {
			if _, written := w.at[p.of]; p.of != nil && p.of.Fact < 0 && !written {
				missing = p.of
				break
			}
		}
		if missing != nil {
			stack = append(stack, frame{of: missing})
			continue
		}
		step := Step{Therefore: top.of}
		for _, p := range top.parts {
			switch {
			case p.chain != nil:
				step.Because = append(step.Because, Reason{-1, -1, p.chain})
			case p.of.Fact >= 0:
				step.Because = append(step.Because, Reason{p.of.Fact, -1, nil})
			default:
				step.Because = append(step.Because, Reason{-1, w.at[p.of], nil})
			}
		}
		w.at[top.of] = len(w.steps)
		w.steps = append(w.steps, step)
		stack = stack[:len(stack)-1]
	}
}

// expanded returns the parts of an incompatibility, with those of causes that are used once in their place as long as that makes few.
func (w *writer) expanded(i *Incompatibility) []part {
	parts := w.parts(i)
	for grown := true; grown; {
		grown = false
		for at, p := range parts {
			if p.of == nil || p.of.Fact >= 0 || w.uses[p.of] > 1 {
				continue
			}
			if inner := w.parts(p.of); len(parts)-1+len(inner) <= fewReasons {
				parts = append(append(append([]part{}, parts[:at]...), inner...), parts[at+1:]...)
				grown = true
				break
			}
		}
	}
	return parts
}
