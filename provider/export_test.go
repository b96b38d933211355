package provider

// Asked is how often a rank was asked where it has something.
func (p *World) Asked() int { return p.asked }
