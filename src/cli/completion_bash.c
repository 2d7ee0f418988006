/* SPDX-License-Identifier: MIT */
/* The script for bash (4.2 or newer). It needs nothing else, and uses bash-completion for a command's own words when that is there. */
#include "base/buf.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "cli/verb.h"

static const char head[] =
	"# bash completion for assay and duct, written by 'assay completion bash'.\n"
	"\n"
	"# What a verb has: `options`, those `taking` an argument, what its words can be "
	"(`offers`), and whether options may\n"
	"# stand behind them.\n"
	"_assay_verb()\n"
	"{\n"
	"\tcase $1 in\n";

static const char between[] = "\t*)\n"
			      "\t\treturn 1\n"
			      "\t\t;;\n"
			      "\tesac\n"
			      "}\n"
			      "\n"
			      "# What the argument of an option can be.\n"
			      "_assay_argument()\n"
			      "{\n"
			      "\tcase $1 in\n";

static const char body[] =
	"\t*) offers=@files ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# Puts the words before the cursor together again: bash cuts them at = and :.\n"
	"_assay_words()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} word blank i\n"
	"\tfor ((i = 0; i <= COMP_CWORD; i++)); do\n"
	"\t\tblank=${line%%[![:space:]]*}\n"
	"\t\tline=${line#\"$blank\"}\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\t((i < COMP_CWORD)) || word=$line\n"
	"\t\tline=${line#\"$word\"}\n"
	"\t\tif ((i > 0)) && [[ -z $blank ]]; then\n"
	"\t\t\twords[${#words[@]} - 1]+=$word\n"
	"\t\telse\n"
	"\t\t\twords+=(\"$word\")\n"
	"\t\t\tstarts+=(\"$i\")\n"
	"\t\tfi\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Goes through the words from $1 on: `pending` is the option whose argument comes next, "
	"`first` the place of the first\n"
	"# word that is no option, `ended` whether options are over.\n"
	"_assay_walk()\n"
	"{\n"
	"\tlocal i letters word\n"
	"\tfor ((i = $1; i < ${#words[@]} - 1; i++)); do\n"
	"\t\tword=${words[i]}\n"
	"\t\tif [[ $pending ]]; then\n"
	"\t\t\tpending=\n"
	"\t\telif [[ $ended || $word != -?* ]]; then\n"
	"\t\t\t((first)) || first=$i\n"
	"\t\t\t[[ $mixed ]] || ended=yes\n"
	"\t\telif [[ $word == -- ]]; then\n"
	"\t\t\tended=yes\n"
	"\t\telif [[ $word == --* ]]; then\n"
	"\t\t\t[[ \" $taking \" != *\" $word \"* ]] || pending=$word\n"
	"\t\telse\n"
	"\t\t\tfor ((letters = 1; letters < ${#word}; letters++)); do\n"
	"\t\t\t\t[[ \" $taking \" == *\" -${word:letters:1} \"* ]] || continue\n"
	"\t\t\t\t((letters + 1 < ${#word})) || pending=-${word:letters:1}\n"
	"\t\t\t\tbreak\n"
	"\t\t\tdone\n"
	"\t\tfi\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Offers what begins with `current`; `before` stands before each.\n"
	"_assay_offer()\n"
	"{\n"
	"\tlocal value=${current#\"$before\"} words=() word cut=''\n"
	"\tcase $offers in\n"
	"\t@files)\n"
	"\t\treturn\n"
	"\t\t;;\n"
	"\t@nothing)\n"
	"\t\tcompopt +o default 2>/dev/null\n"
	"\t\treturn\n"
	"\t\t;;\n"
	"\t@keys)\n"
	"\t\tmapfile -t words < <(command assay measurements --keys 2>/dev/null)\n"
	"\t\twords+=(minimal default all)\n"
	"\t\t[[ $value != *,* ]] || before+=${value%,*},\n"
	"\t\tvalue=${current#\"$before\"}\n"
	"\t\t[[ $value != -* ]] || before+=- value=${value#-}\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\t\t;;\n"
	"\t@fields | @field)\n"
	"\t\tmapfile -t words < <(command assay completion fields 2>/dev/null)\n"
	"\t\t[[ $offers == @field || $value != *,* ]] || before+=${value%,*},\n"
	"\t\tvalue=${current#\"$before\"}\n"
	"\t\tvalue=${value#[\\'\\\"]}\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\t\t;;\n"
	"\t@runs)\n"
	"\t\tmapfile -t words < <(command assay completion runs 2>/dev/null)\n"
	"\t\twords+=(@files)\n"
	"\t\t;;\n"
	"\t*)\n"
	"\t\tIFS=' ' read -ra words <<<\"$offers\"\n"
	"\t\t;;\n"
	"\tesac\n"
	"\tfor word in \"${words[@]}\"; do\n"
	"\t\tif [[ $word == @files ]]; then\n"
	"\t\t\t((${#COMPREPLY[@]})) || compopt -o filenames 2>/dev/null\n"
	"\t\t\twhile IFS= read -r word; do\n"
	"\t\t\t\tCOMPREPLY+=(\"$before$word\")\n"
	"\t\t\tdone < <(compgen -f -- \"$value\")\n"
	"\t\telif [[ $word == \"$value\"* ]]; then\n"
	"\t\t\tCOMPREPLY+=(\"$before$word\")\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace "
	"2>/dev/null\n"
	"\t[[ $COMP_WORDBREAKS != *=* || $current != *=* ]] || cut=${current%\"${current##*=}\"}\n"
	"\t[[ $COMP_WORDBREAKS != *:* || ${current#\"$cut\"} != *:* ]] || "
	"cut=${current%\"${current##*:}\"}\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]#\"$cut\"}\")\n"
	"}\n"
	"\n"
	"# The command that is to be run, and its own words.\n"
	"_assay_command()\n"
	"{\n"
	"\tif ((first == 0)); then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$current\")\n"
	"\telif declare -F _command_offset >/dev/null; then\n"
	"\t\t_command_offset \"${starts[first]}\"\n"
	"\tfi\n"
	"}\n"
	"\n"
	"_assay()\n"
	"{\n"
	"\tlocal words=() starts=() verb at=2\n"
	"\tlocal options='' taking='' offers='' mixed='' pending='' first=0 ended='' before=''\n"
	"\tCOMPREPLY=()\n"
	"\t_assay_words\n"
	"\tlocal current=${words[${#words[@]} - 1]}\n"
	"\tverb=${words[1]-}\n"
	"\t[[ ${words[0]##*/} != duct ]] || verb=run at=1\n"
	"\tif ((${#words[@]} <= at)); then\n"
	"\t\toffers=$_assay_verbs\n"
	"\t\t[[ $current != -* ]] || offers='--help --version'\n"
	"\t\t_assay_offer\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_assay_verb \"$verb\" || return\n"
	"\t_assay_walk \"$at\"\n"
	"\tif [[ $pending ]]; then\n"
	"\t\t_assay_argument \"$verb$pending\"\n"
	"\telif [[ -z $ended && $current == --*=* ]]; then\n"
	"\t\t_assay_argument \"$verb${current%%=*}\"\n"
	"\t\tbefore=${current%%=*}=\n"
	"\telif [[ -z $ended && $current == -* ]]; then\n"
	"\t\toffers=$options\n"
	"\telif [[ $offers == @command ]]; then\n"
	"\t\t_assay_command\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_assay_offer\n"
	"}\n"
	"\n"
	"complete -o default -F _assay assay duct\n";

/* "--output-prefix -p", each behind a separator; `prefix` is put before it. */
static const char *add_names(const struct option_row *row, const char *separator,
	const char *prefix, const char *between_names, struct buf *out)
{
	buf_addf(out, "%s%s--%s", separator, prefix, row->name);
	if (row->alias)
		buf_addf(out, "%s%s--%s", between_names, prefix, row->alias);
	if (row->letter)
		buf_addf(out, "%s%s-%c", between_names, prefix, row->letter);
	return between_names;
}

static void add_verb(const struct verb *verb, struct buf *out)
{
	const struct option_row *row;
	const char *separator = "";

	buf_addf(out, "\t%s)\n\t\toptions='", verb->name);
	for (size_t i = 0; (row = completion_option(verb, i)); i++)
		separator = add_names(row, separator, "", " ", out);
	buf_add_text(out, "'\n\t\ttaking='");
	separator = "";
	for (size_t i = 0; (row = completion_option(verb, i)); i++)
		if (row->argument)
			separator = add_names(row, separator, "", " ", out);
	buf_addf(out, "'\n\t\toffers='%s'\n\t\tmixed=%s\n\t\t;;\n", completion_words(verb),
		verb->mixed ? "yes" : "");
}

static void add_arguments(const struct verb *verb, struct buf *out)
{
	const struct option_row *row;

	for (size_t i = 0; (row = completion_option(verb, i)); i++) {
		if (!row->argument)
			continue;
		buf_add_char(out, '\t');
		add_names(row, "", verb->name, " | ", out);
		buf_add_text(out, ") offers='");
		completion_offers(row, out);
		buf_add_text(out, "' ;;\n");
	}
}

void completion_bash(const struct verb *const *verbs, size_t n, struct buf *out)
{
	buf_add_text(out, head);
	for (size_t i = 0; i < n; i++)
		add_verb(verbs[i], out);
	buf_add_text(out, between);
	for (size_t i = 0; i < n; i++)
		add_arguments(verbs[i], out);
	buf_add_text(out, body);
	buf_add_text(out, "_assay_verbs='");
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s", i > 0 ? " " : "", verbs[i]->name);
	buf_add_text(out, "'\n");
}
