package datasets

import (
	"cmp"
	"slices"

	"github.com/clusterpool/ccp/internal/npz"
)

// Report is what [CheckNPZ] found in an .npz file.
type Report struct {
	File string `json:"file"`
	// Usable reports whether Load takes the file.
	Usable bool `json:"usable"`
	// Arrays are the known arrays, in the order of reading.
	Arrays []ArrayInfo `json:"arrays"`
	// Errors prevent the use of the file, Warnings do not. Each names the array and, if there is one, the index, and
	// says what to do.
	Errors   []string `json:"errors"`
	Warnings []string `json:"warnings"`
	// Causes are the errors whose texts Errors has, in the same order.
	Causes []error `json:"-"`
	// Findings are reasons to doubt the accuracy of a classifier of this data, see [Audit]; none unless it is usable.
	Findings Findings `json:"findings"`
	// Data is the data set; nil unless it is usable.
	Data *Dataset `json:"-"`
}

// CheckNPZ reads an .npz file as [Load] does with the same options, but continues after errors if it can. If several
// elements of an array are wrong in the same way, it reports the first few. It also reports what [Audit]
// finds. It is an error if the file cannot be opened as an archive.
func CheckNPZ(path string, opts Options) (Report, error) {
	report := Report{File: path, Errors: []string{}, Warnings: []string{}, Findings: Findings{}}
	if err := cmp.Or(opts.check(), ofFile(path).Accepts(opts)); err != nil {
		return report, err
	}
	r, err := openNPZ(path, opts)
	if err != nil {
		return report, err
	}
	defer r.Close()
	errs := r.read()
	if len(errs) == 0 {
		errs = separate(r.setProvenance(path))
	}
	if len(errs) == 0 {
		report.Data, errs = assemble(r.raw, *r.raw.Split)
	}
	for _, err := range errs {
		report.Causes = append(report.Causes, err)
		report.Errors = append(report.Errors, withoutFile(err).Error())
	}
	report.Arrays = r.taken
	report.Usable = len(errs) == 0
	if report.Usable {
		report.Warnings = append(report.Warnings, report.Data.Warnings...)
		drawn := !r.Has("split")
		report.Findings, err = report.Data.doubts(drawn)
		if err != nil {
			return report, err
		}
	} else {
		report.Warnings = append(report.Warnings, r.raw.Warnings...)
	}
	return report, nil
}

// withoutFile returns an error of a file without the file's name in front, which a report has once.
func withoutFile(err error) error {
	if inFile, is := err.(*npz.FileError); is { //nolint:errorlint // what is around such an error says more
		return inFile.Err
	}
	return err
}

// doubts returns what an audit finds, with the question that only a person can answer: whose recordings these are. It
// is asked where samples are drawn for the test, and nothing says which of them belong together. It also says whether
// there were too many recordings to look for overlaps among all.
func (d *Dataset) doubts(drawn bool) (Findings, error) {
	found := Findings{} // never nil: JSON has a list
	if len(d.Train) == 0 {
		return found, nil
	}
	all, err := Audit(d)
	if err != nil {
		return nil, err
	}
	found = append(found, all...)
	if f := d.families; f != nil && len(f.overlaps) == 0 && f.some.WithAll > 0 {
		found = append(found, Finding{Kind: ofOverlap, Level: note, some: f.some})
	}
	known := d.Groups != nil || slices.ContainsFunc(all, func(f Finding) bool {
		return f.Kind == ofFamilies || f.Kind == ofOverlap || f.Kind == ofOrder && f.Level != note
	})
	if d.Series != nil && drawn && !known {
		found = append(found, Finding{Kind: ofOwners, Level: question})
	}
	return found, nil
}
