package main

import (
	"github.com/clusterpool/ccp/internal/backend"
	"github.com/spf13/cobra"
)

func newDoctor(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "What works on this machine, and what to do about the rest; downloads nothing",
		Example: "  ccp doctor",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			report := backend.Doctor(backend.Options{Name: s.backend, Log: cmd.ErrOrStderr()})
			return s.print(cmd, report, report.String())
		},
	}
}

func newVersion(s *shared) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Versions of this program and of what it computes with",
		Example: "  ccp version --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			versions := backend.Versions()
			versions["platform"] = backend.ThisMachine().Platform
			return s.print(cmd, versions, render("version", versions))
		},
	}
}
