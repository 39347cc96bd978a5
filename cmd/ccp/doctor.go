package main

import (
	"fmt"

	"github.com/clusterpool/ccp/internal/backend"
	"github.com/spf13/cobra"
)

// newDoctor returns `ccp doctor`, which tries all backends and says what to do about those that do not work.
func newDoctor(s *shared) *cobra.Command {
	cmd := command("doctor", "")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		report := backend.Doctor(backend.Options{Name: s.backend, Install: !s.offline})
		err := s.print(cmd, report, render("doctor", report))
		if err == nil && report.Chosen == "" {
			err = fmt.Errorf("the requested backend, %s, cannot be opened", report.Request)
		}
		return err
	}
	return cmd
}

func newVersion(s *shared) *cobra.Command {
	cmd := command("version", "")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		versions := backend.Versions()
		versions["platform"] = backend.ThisMachine().Platform
		return s.print(cmd, versions, render("version", versions))
	}
	return cmd
}
