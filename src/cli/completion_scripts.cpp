#include "cli/completion.hpp"

// Each script hands the words up to the cursor to `gpusched __complete` and turns its answer into what the shell wants:
// lines "candidate<tab>help", and a last line ":", ":joined" (no blank behind) or ":files=PREFIX".
namespace gpusched::cli {

namespace {

// bash splits words at '=' and ':' and replaces the last piece only, so the words are put together again first and the
// pieces before the last one are cut from the candidates.
constexpr std::string_view kBash = R"script(# bash completion for gpusched
_gpusched() {
  local words=() word line last kept i before="${COMP_LINE:0:COMP_POINT}" at=0
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    # Where the word stands in the line tells whether it touches the one before it.
    local rest="${before:at}" blanks
    blanks="${rest%%[![:space:]]*}"
    if ((i == COMP_CWORD)); then word="${rest:${#blanks}}"; fi
    if ((i > 1)) && [[ -z "$blanks" && ${#words[@]} -gt 0 ]]; then
      words[${#words[@]} - 1]+="$word"
    elif ((i > 0)); then
      words+=("$word")
    fi
    at=$((at + ${#blanks} + ${#word}))
  done
  local current="${words[${#words[@]} - 1]}" cut=""
  local piece="${COMP_WORDS[COMP_CWORD]}"
  case "$piece" in = | :) piece="" ;; esac
  cut="${current%"$piece"}"
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :joined) compopt -o nospace 2>/dev/null ;;
      :files=*)
        kept="${line#:files=}"
        compopt -o filenames 2>/dev/null
        last="${current#"$kept"}"
        while IFS= read -r word; do
          word="$kept$word"
          COMPREPLY+=("${word#"$cut"}")
        done < <(compgen -f -- "$last")
        ;;
      :*) ;;
      *)
        word="${line%%$'\t'*}"
        word="${word#"$cut"}"
        # Names come from files: nothing of them may be run. Plain ones stay as they are.
        if [[ "$word" == *[![:alnum:]_./:=,@%+-]* ]]; then printf -v word %q "$word"; fi
        COMPREPLY+=("$word")
        ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
}
complete -F _gpusched gpusched
)script";

constexpr std::string_view kZsh = R"script(#compdef gpusched
# zsh completion for gpusched
_gpusched() {
  local line prefix
  local -a candidates joined=()
  for line in "${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :joined) joined=(-S '') ;;
      :files=*)
        prefix="${line#:files=}"
        if [[ -n "$prefix" ]]; then compset -P "${(b)prefix}"; fi
        _files
        ;;
      :*) ;;
      *) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  if (( ${#candidates} )); then _describe -V gpusched candidates "${joined[@]}"; fi
}
if [[ "${funcstack[1]}" = _gpusched ]]; then
  _gpusched "$@"
else
  compdef _gpusched gpusched
fi
)script";

constexpr std::string_view kFish = R"script(# fish completion for gpusched
function __gpusched_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l current $words[-1]
    for line in (command $words[1] __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files=*'
                set -l prefix (string replace -- ':files=' '' $line)
                set -l typed (string sub -s (math (string length -- $prefix) + 1) -- $current)
                for path in (__fish_complete_path $typed)
                    echo $prefix$path
                end
            case ':*'
            case '*'
                echo $line
        end
    end
end
complete -c gpusched -f -a '(__gpusched_complete)'
)script";

}  // namespace

std::string_view completion_script(std::string_view shell) {
  return shell == "zsh" ? kZsh : shell == "fish" ? kFish : kBash;
}

}  // namespace gpusched::cli
