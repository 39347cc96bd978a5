package datasets

import "strings"

// Report is what [CheckNPZ] found in an .npz file.
type Report struct {
	File string `json:"file"`
	// Usable says that Load takes the file.
	Usable bool `json:"usable"`
	// Arrays are the known arrays, in the order in which they were read.
	Arrays []ArrayInfo `json:"arrays"`
	// Errors prevent the use of the file, Warnings do not. Each names the array and the index, where there is one, and says
	// what to do.
	Errors   []string `json:"errors"`
	Warnings []string `json:"warnings"`
	// Data is the data set; nil unless it is usable.
	Data *Dataset `json:"-"`
}

// CheckNPZ reads an .npz file as [Load] does with the same options, but goes on after errors where it can, so that all are
// known at once; of the elements of an array that are wrong in the same way it reports the first few. It looks for more
// oddities than Load does: see [Dataset.Oddities]. It is an error if the file cannot be opened as an archive.
func CheckNPZ(path string, opts Options) (Report, error) {
	report := Report{File: path, Errors: []string{}, Warnings: []string{}}
	file := ownFile
	file.Name = path
	err := opts.check()
	if err == nil {
		err = file.accepts(opts)
	}
	if err != nil {
		return report, err
	}
	r, err := openNPZ(path, opts)
	if err != nil {
		return report, err
	}
	defer r.Close()
	errs := r.read()
	if len(errs) == 0 {
		errs = r.d.finish(opts)
	}
	for _, err := range errs {
		report.Errors = append(report.Errors, strings.TrimPrefix(err.Error(), path+": "))
	}
	report.Arrays = r.taken
	if report.Usable = len(errs) == 0; report.Usable {
		report.Data = r.d
		r.d.Warnings = append(r.d.Warnings, r.d.Oddities()...)
	}
	report.Warnings = append(report.Warnings, r.d.Warnings...)
	return report, nil
}
