package peer

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

type etcd struct {
	server *process
	client *clientv3.Client
}

// OpenEtcd starts an etcd server of one member with its default settings, except a space quota that the
// benchmark does not reach. All writers share one client, which multiplexes them.
func OpenEtcd(ctx context.Context, dir string, _ int) (Peer, error) {
	program, err := exec.LookPath("etcd")
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", ErrMissing)
	}
	clients, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	members, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	const quota = 8 << 30
	e := &etcd{}
	e.server, err = start(nil, program, "--name", "bench", "--data-dir", filepath.Join(dir, "data"),
		"--listen-client-urls", "http://"+clients, "--advertise-client-urls", "http://"+clients,
		"--listen-peer-urls", "http://"+members, "--initial-advertise-peer-urls", "http://"+members,
		"--initial-cluster", "bench=http://"+members, "--quota-backend-bytes", strconv.Itoa(quota))
	if err != nil {
		return nil, err
	}
	e.client, err = clientv3.New(clientv3.Config{Endpoints: []string{clients}, DialTimeout: 30 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	if err := e.server.await(ctx, e.ping); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	for n := range Targets {
		for _, kind := range []string{"parent/", "left/", "right/"} {
			if _, err := e.client.Put(ctx, kind+TargetName(n), "{}"); err != nil {
				return nil, errors.Join(err, e.Close())
			}
		}
	}
	return e, nil
}

func (e *etcd) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := e.client.Get(ctx, "ping")
	return err
}

// Create puts one key in a transaction that compares the existence of three others.
func (e *etcd) Create(ctx context.Context, item Item) error {
	exists := func(key string) clientv3.Cmp { return clientv3.Compare(clientv3.CreateRevision(key), ">", 0) }
	parent := "parent/" + TargetName(item.Parent)
	answer, err := e.client.Txn(ctx).
		If(exists(parent), exists("left/"+TargetName(item.Left)), exists("right/"+TargetName(item.Right))).
		Then(clientv3.OpPut(parent+"/item/"+item.Name(), string(item.Data()))).
		Commit()
	if err == nil && !answer.Succeeded {
		return ErrDangling
	}
	return err
}

func (e *etcd) Close() error {
	var err error
	if e.client != nil {
		err = e.client.Close()
	}
	return errors.Join(err, e.server.stop(syscall.SIGTERM))
}
