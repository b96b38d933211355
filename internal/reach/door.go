package reach

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

const asked = 16 // bytes of a question

// door is where others try to reach this machine.
type door struct {
	leaf
	ln net.Listener
	wg sync.WaitGroup
}

// open listens on all addresses of this machine.
func open(places []place) (*door, error) {
	ln, err := net.Listen("tcp", ":0")
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown" // it only makes messages better
	}
	d := &door{ln: ln, leaf: leaf{Port: ln.Addr().(*net.TCPAddr).Port, Secret: make([]byte, asked), Host: host[:min(len(host), 255)], Places: places}}
	rand.Read(d.Secret) // documented never to fail
	d.wg.Go(d.serve)
	return d, nil
}

// serve answers until the door is closed.
func (d *door) serve() {
	for {
		conn, err := d.ln.Accept()
		if err != nil {
			return
		}
		d.wg.Go(func() { d.answer(conn) })
	}
}

// answer proves that this is the machine that has offered the address: on another one the
// same address may lead elsewhere, even to itself.
func (d *door) answer(conn net.Conn) {
	defer conn.Close()
	question := make([]byte, asked)
	if conn.SetDeadline(time.Now().Add(patience)) != nil {
		return
	}
	if _, err := io.ReadFull(conn, question); err == nil {
		_, _ = conn.Write(proof(d.Secret, question)) // who asked sees that nothing comes
	}
}

func (d *door) close() {
	_ = d.ln.Close() // it has served
	d.wg.Wait()
}

func proof(secret, question []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(question)
	return mac.Sum(nil)
}

// try says which addresses of the others this machine reaches: by machine, by address. What
// is not asked, because there are so many machines, counts as reached. Once all machines
// were reached somehow, it gives what has not answered four times as long.
func (p Party) try(ctx context.Context, leaves []leaf) [][]bool {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type answer struct {
		node, at int
		ok       bool
	}
	answers := make(chan answer)
	got, waiting := make([][]bool, len(leaves)), 0
	var open int // machines of which no address was reached yet
	limit := make(chan struct{}, 256)
	for node, l := range leaves {
		got[node] = make([]bool, len(l.Places))
		if away := (node - p.Node + len(leaves)) % len(leaves); away == 0 || away > mostAsked {
			for i := range got[node] {
				got[node][i] = true
			}
			continue
		}
		open++
		for i, at := range l.Places {
			waiting++
			go func() {
				limit <- struct{}{}
				ok := l.reached(ctx, at)
				<-limit
				answers <- answer{node, i, ok}
			}()
		}
	}
	for ; waiting > 0; waiting-- {
		a := <-answers
		if a.ok && !slices.Contains(got[a.node], true) {
			if open--; open == 0 {
				time.AfterFunc(max(least, 4*time.Since(start))-time.Since(start), cancel)
			}
		}
		got[a.node][a.at] = a.ok
	}
	return got
}

// reached says whether an address leads to the machine that offered it.
func (l leaf) reached(ctx context.Context, at place) bool {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(at.Address, strconv.Itoa(l.Port)))
	if err != nil {
		return false
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends what follows
	question, answer := make([]byte, asked), make([]byte, sha256.Size)
	rand.Read(question) // documented never to fail
	if _, err := conn.Write(question); err != nil {
		return false
	}
	_, err = io.ReadFull(conn, answer)
	return err == nil && hmac.Equal(answer, proof(l.Secret, question))
}
