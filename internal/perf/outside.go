package perf

import "time"

// Begin is a record of a measurement that is made elsewhere, with this machine in it.
func Begin(name string, rounds int) Record {
	return Record{Schema: Schema, Name: name, When: time.Now().UTC().Truncate(time.Second), Rounds: rounds, Machine: describe()}
}

// End fills in what follows from the samples of the rows.
func (r *Record) End() {
	for i := range r.Rows {
		r.Rows[i].settle()
	}
	r.Machine.LoadAfter = load()
}
