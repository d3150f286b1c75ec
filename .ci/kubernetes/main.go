// Manifest reads Kubernetes manifests strictly, as the types of the API have them: an unknown
// or doubled member, or a wrong type, is an error.
package main

import (
	"fmt"
	"os"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	for _, path := range os.Args[1:] {
		data, err := os.ReadFile(path)
		if err == nil {
			var job batch.Job
			err = yaml.UnmarshalStrict(data, &job)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "manifest: %s: %v\n", path, err)
			os.Exit(1)
		}
	}
}
