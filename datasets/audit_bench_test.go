package datasets

import "testing"

// BenchmarkAuditOfDigits measures the audit of the embedded digits.
func BenchmarkAuditOfDigits(b *testing.B) {
	d, err := Load(b.Context(), "digits", Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Audit(d); err != nil {
			b.Fatal(err)
		}
	}
}
