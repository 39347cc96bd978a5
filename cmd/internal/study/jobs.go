package study

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

// Jobs is a job array that runs a study on several machines which share its folder: each of its workers gives the same command,
// takes runs that no other is at, and ends when there are none left. manager is slurm or kubernetes.
func Jobs(manager, name, command string, workers int) (string, error) {
	text, ok := jobTemplates[manager]
	if !ok {
		return "", fmt.Errorf("jobs can be written for slurm and kubernetes, not for %q", manager)
	}
	var b strings.Builder
	err := template.Must(template.New(manager).Funcs(template.FuncMap{"json": quoteJSON}).Parse(text)).Execute(&b, map[string]any{"Name": name, "Command": command, "Workers": workers})
	return b.String(), err
}

// quoteJSON is text as a JSON, and so a YAML, string.
func quoteJSON(text string) string {
	raw, _ := json.Marshal(text) // of a string: cannot fail
	return string(raw)
}

var jobTemplates = map[string]string{
	"slurm": `#!/bin/bash
# Save as {{.Name}}.sh and give "sbatch {{.Name}}.sh" in a folder that all machines share. A task that is cancelled or out of time
# saves its state; submitted again it goes on.
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Workers}}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=16G
#SBATCH --signal=TERM@120
exec {{.Command}}
`,
	"kubernetes": `# Save as {{.Name}}.yaml and give "kubectl apply -f {{.Name}}.yaml". The claim "ccp-runs" is a volume that all nodes can write
# (ReadWriteMany), with the data in its folder data. A pod that is evicted saves its state; its successor goes on.
apiVersion: batch/v1
kind: Job
metadata:
  name: {{.Name}}
spec:
  completions: {{.Workers}}
  parallelism: {{.Workers}}
  completionMode: Indexed
  backoffLimit: 20
  template:
    spec:
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 120
      containers:
        - name: ccp
          image: ccp
          workingDir: /runs
          command: ["sh", "-c", {{json (printf "exec %s" .Command)}}]
          env:
            - {name: CCP_DATA, value: /runs/data}
          resources:
            requests: {cpu: "2", memory: 8Gi}
            limits: {memory: 16Gi}
          volumeMounts:
            - {name: runs, mountPath: /runs}
      volumes:
        - name: runs
          persistentVolumeClaim: {claimName: ccp-runs}
`,
}
