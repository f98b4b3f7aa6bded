package ratelimit

// Known is how many users are told apart now.
func (q *Quota) Known() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.users)
}
