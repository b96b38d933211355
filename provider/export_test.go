package provider

import "github.com/goshmem/goshmem/shmem"

// Asked is how often a rank was asked where it has something.
func (p *World) Asked() int { return p.asked }

// ExchangeOf is a world as an exchange.
func ExchangeOf(w *shmem.World) Exchange { return meeting{w} }
