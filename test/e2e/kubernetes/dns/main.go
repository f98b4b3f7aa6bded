// Command dns answers for the names of the services of a cluster, NAME.NAMESPACE.svc.cluster.local, with their addresses;
// nothing else has a name there. It is enough for tests; real clusters have CoreDNS.
//
//	dns -listen 10.95.0.10:53 -kubeconfig FILE
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/net/dns/dnsmessage"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	listen := flag.String("listen", "", "`address` to answer on, by UDP")
	kubeconfig := flag.String("kubeconfig", "", "`file` that says where the cluster is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, *listen, *kubeconfig)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dns:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(clients, 0)
	services := factory.Core().V1().Services().Lister()
	factory.Start(wait.NeverStop)
	factory.WaitForCacheSync(ctx.Done())
	socket, err := net.ListenPacket("udp", listen)
	if err != nil {
		return err
	}
	go func() { <-ctx.Done(); _ = socket.Close() }()
	buffer := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return ctx.Err()
		}
		if answer, err := reply(buffer[:n], services); err == nil {
			_, _ = socket.WriteTo(answer, from) // who asked asks again
		}
	}
}

// reply answers a question.
func reply(question []byte, services listers.ServiceLister) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		return nil, errors.New("not one question")
	}
	q := m.Questions[0]
	m.Response, m.Authoritative, m.RecursionAvailable, m.Additionals = true, true, true, nil
	m.RCode = dnsmessage.RCodeNameError
	name, inside := strings.CutSuffix(strings.ToLower(q.Name.String()), ".svc.cluster.local.")
	if service, namespace, two := strings.Cut(name, "."); inside && two {
		if found, err := services.Services(namespace).Get(service); err == nil {
			m.RCode = dnsmessage.RCodeSuccess
			if address, err := netip.ParseAddr(found.Spec.ClusterIP); err == nil && q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 5},
					Body:   &dnsmessage.AResource{A: address.As4()},
				}}
			}
		}
	}
	return m.Pack()
}
