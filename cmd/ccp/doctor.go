package main

import (
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/spf13/cobra"
)

func newDoctor(s *shared) *cobra.Command {
	cmd := command("doctor", "")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		report := backend.Doctor(backend.Options{Name: s.backend, Install: !s.offline})
		return s.print(cmd, report, render("doctor", report))
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
