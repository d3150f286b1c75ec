package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// table prints a row for each task, and one for all.
func table(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "task\truns\tdone\tseconds\tsteps\tquestions\ttokens in\tout\twell-formed\tcompliance\tfailures")
	for from := 0; from < len(results); {
		to := from
		for to < len(results) && results[to].Task == results[from].Task {
			to++
		}
		row(w, results[from].Task, results[from:to])
		from = to
	}
	row(w, "all", results)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "done: the check passed, the exit code is as wanted, and what had to stay stayed. "+
		"well-formed: of the runs that had something written, those whose first answer fitted as it was. "+
		"compliance: of the runs with something to keep, those that kept it. "+
		"In parentheses and behind ± 95% intervals: Wilson's of shares, Student's of means.")
	return err
}

func row(w io.Writer, name string, results []result) {
	mean := func(of func(result) float64, format string) string {
		var values []float64
		for _, r := range results {
			values = append(values, of(r))
		}
		m, half := interval(values)
		if len(values) == 1 {
			return fmt.Sprintf(format, m)
		}
		return fmt.Sprintf(format+" ±"+format, m, half)
	}
	failures := ""
	for _, r := range results {
		if !r.Done && name != "all" {
			failures += fmt.Sprintf("code %d: %.60s; ", r.Code, r.Message)
		}
	}
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, len(results),
		share(results, func(r result) *bool { return &r.Done }),
		mean(func(r result) float64 { return r.Seconds }, "%.2f"),
		mean(func(r result) float64 { return float64(r.Steps) }, "%.1f"),
		mean(func(r result) float64 { return float64(r.Questions) }, "%.1f"),
		mean(func(r result) float64 { return float64(r.TokensIn) }, "%.0f"),
		mean(func(r result) float64 { return float64(r.TokensOut) }, "%.0f"),
		share(results, func(r result) *bool { return r.Formed }),
		share(results, func(r result) *bool { return r.Kept }), failures)
}

// share is how many of the runs that tell hold, with its interval; - if none tells.
func share(results []result, of func(result) *bool) string {
	held, all := 0, 0
	for _, r := range results {
		if holds := of(r); holds != nil {
			all++
			if *holds {
				held++
			}
		}
	}
	if all == 0 {
		return "-"
	}
	low, high := wilson(held, all)
	return fmt.Sprintf("%d/%d (%.0f–%.0f%%)", held, all, 100*low, 100*high)
}

// wilson is the 95% score interval of a share, which holds for few runs too (E. B. Wilson,
// "Probable Inference, the Law of Succession, and Statistical Inference", 1927).
func wilson(held, all int) (low, high float64) {
	const z = 1.959964
	n := float64(all)
	p := float64(held) / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}

// interval is the mean, and half of its 95% interval by Student's t; 0 for a single value.
func interval(values []float64) (mean, half float64) {
	// Quantiles of 0.975 for so many degrees of freedom; beyond, the normal distribution's.
	quantiles := []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
		2.145, 2.131,
		2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if len(values) < 2 {
		return mean, 0
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	t := 1.96
	if len(values)-2 < len(quantiles) {
		t = quantiles[len(values)-2]
	}
	return mean, t * math.Sqrt(squares/(n-1)/n)
}
