package reply

import (
	"regexp"
	"sync"
)

// forms are the patterns by which replies are read, compiled when the first one is.
type forms struct {
	headings []*regexp.Regexp // their groups are the number, which may be missing, the action and the rest
	// a line with a number and a path: its groups are the marks of a heading, the number, the path and
	// the rest
	numbered *regexp.Regexp
	// a line that is in the place of a file: the word in capitals, or else in other letters, and
	// what it says
	keyword  *regexp.Regexp
	sentence *regexp.Regexp // prose between blocks
	talk     *regexp.Regexp // words before a fence of what something prints, or of how it is used
	printed  *regexp.Regexp // what programs print when they fail

	oldLabel, newLabel *regexp.Regexp // words before a fence that holds what is searched for, and what takes its place
	code               *regexp.Regexp // what is in code and not behind the marks of a fence
	loose              looseForms
	frames             map[string]*regexp.Regexp // what begins a format of another tool, by its name

	headingThenFence, fenceThenHeading *regexp.Regexp // on one line
}

var patterns = sync.OnceValue(func() *forms {
	return &forms{
		headings: []*regexp.Regexp{
			regexp.MustCompile("^ {0,3}(?:[-*+] )?#{1,6}[ \\t]*[*`\\[]*(?:\\pL+[ \\t]*)?#?([0-9]{1,6})?[\\]*`.:)]*[ \\t]*[-–—]?[ \\t]*[*`]*([A-Za-z_]+)\\b[*`]*:?(.*)$"),
			regexp.MustCompile("^ {0,3}#{1,6}[ \\t]*[*`\\[]*()([A-Za-z_]+)\\b[*`]*:?(.*)$"),
			regexp.MustCompile(`^ {0,3}\*\*(?:\pL+[ \t]*)?#?([0-9]{1,6})?[.:)]*[ \t]*([A-Z_]+)\b:?(.*)$`),
			regexp.MustCompile("^(?:[Ss]tep[ \\t]+)?([0-9]{1,6})[.:)]?[ \\t]+[*`]*([A-Z_]+)\\b[*`]*:?(.*)$"),
		},
		numbered: regexp.MustCompile("^\\s{0,3}(?:[-*+] )?(#{1,6} )?[*_]*(?:\\pL+[ \t]*)?#?([0-9]{1,6})[.:)]?[*_]*[ \t]+[-–—]?[ \t]*[*_]*(?:\\pL+[*_]*:?[ \t]+)?[-–—]?[ \t]*([`*_]*\\S+)(.*)$"),
		keyword:  regexp.MustCompile("^[\\s*_`>•#-]*(?:(NO[ _-]?CHANGES?|CANNOT|CAN'T|CAN’T|READ)|([Nn]o[ _-]?[Cc]hanges?|[Cc]annot|[Rr]ead))[*_`]*[ \t]*(?:[:：]|\\s[-–—]\\s|\\.?[*_`\\s]*$)[*_` \t]*(.*?)[*_`\\s]*$"),
		sentence: regexp.MustCompile(`^\pL[^=(){};<>]*\s[^=(){};<>]*\s[^=(){};<>]*[.:]$`),
		code:     regexp.MustCompile(`[({;]|^(import|from|package|#include|def|func|class|const|var|let|using|use)\s`),
		talk:     regexp.MustCompile(`(?i)(^|[.!?:;,]\s+|\*\*|\b(an?|the|as|for)\s+)(sample |example |expected |program |console |query |test |its |quick )*(output|outputs|results?|usage|usage examples?|example usage|prints|ausgabe|ergebnis|salida|resultado|sortie|résultat|saída|keluaran|hasil|вывод|результат|输出|结果|用法|出力|結果|使用例|((check|try|test|run|verify) (it|this|that)\b[^.]*))\W*$`),
		oldLabel: regexp.MustCompile(`(?i)^\W*(search( for)?|find|old( code)?|before|original)\W*$`),
		newLabel: regexp.MustCompile(`(?i)^\W*(replace( with| it with)?|new( code)?|after|updated|replacement)\W*$`),
		printed:  regexp.MustCompile(`^(Traceback \(most recent call last\)|panic: |Exception in thread|\s*at \S+\(|[\w.]*(Error|Exception): |error(\[\w+\])?: |fatal: |FAIL\b|--- FAIL|npm ERR!|[+|][-+]+[+|]?$)`),
		loose:    newLooseForms(),
		frames:   frameForms(),

		headingThenFence: regexp.MustCompile("^(#.*\\S)\\s+((?:```+|~~~+)[\\w+-]*\\s*)$"),
		fenceThenHeading: regexp.MustCompile("^(\\s*(?:```+|~~~+))\\s*(#{1,6} .*\\n?)$"),
	}
})

// frameForms begin a frame, by its name.
func frameForms() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		framePatch:   regexp.MustCompile(`^\*\*\* (Begin Patch|Update File: |Add File: |Delete File: |\S+\s*$)`),
		frameDiff:    regexp.MustCompile(`^(diff --git |--- (a/|/dev/null|\S+/?\S*\.\w+\s*$)|@@ |@@$|Index: )`),
		frameTags:    regexp.MustCompile(`(?i)^<(file|file_content|write_file|create_file|write_to_file|edit_file|document|artifact|antArtifact|canvas|boltAction|source|code|codeblock|code_block|updated_file|new_file|file_contents)\b[^>]*>`),
		frameStrings: regexp.MustCompile(`(?i)^<(old_str|old_string|search|old|original|str_replace|edit|replace_in_file)>`),
		frameJSON:    regexp.MustCompile(`^(<tool_call>|<function_call>|<tool_use>|\{|\[\s*\{|\[$)`),
		frameHeredoc: regexp.MustCompile(`^(\$ )?(cat|tee)\b[^|;&]*<<-?\s*['"]?\w+|^@['"]$`),
	}
}
