---@meta prfix
-- Type stubs of git-prfix's rule interface, version 1, for the Lua language server. Written by `git prfix init`;
-- git-prfix never loads this file. The manual is git-prfix-rules(5).

---@alias prfix.Association "OWNER"|"MEMBER"|"COLLABORATOR"|"CONTRIBUTOR"|"FIRST_TIME_CONTRIBUTOR"|"FIRST_TIMER"|"MANNEQUIN"|"NONE"
---@alias prfix.Risk "low"|"medium"|"high"
---@alias prfix.VerdictName "valid"|"already-addressed"|"invalid"|"unclear"
---@alias prfix.Role "probe"|"fix"|"verify"

---@class prfix.Author
---@field login string  without `[bot]`; empty for a deleted account
---@field bot boolean
---@field association prfix.Association

---@class prfix.Comment
---@field id string
---@field kind "thread"|"review"|"comment"
---@field author prfix.Author
---@field body string
---@field path? string  nil on comments that stand on no file
---@field line? integer
---@field outdated boolean
---@field resolved boolean
---@field minimized? string  GitHub's reason when the comment is hidden
---@field review_state? "APPROVED"|"CHANGES_REQUESTED"|"COMMENTED"|"DISMISSED"|"PENDING"
---@field own boolean  written by one of our identities
---@field suggestion boolean  holds a suggestion block

---@class prfix.Pr
---@field number integer
---@field author? string
---@field title string
---@field base string
---@field head string
---@field draft boolean

---@class prfix.Hint
---@field verdict? prfix.VerdictName
---@field risk? prfix.Risk  at least this; a probe may find more
---@field priority? "high"|"normal"|"low"  the order of items and probes
---@field merge? string  items with the same word become one
---@field needs_human? boolean
---@field why? string

---@class (exact) prfix.NoiseRule
---@field name string
---@field why? string
---@field order? integer
---@field drop fun(c: prfix.Comment, pr: prfix.Pr): string|boolean|nil

---@class (exact) prfix.TrustRule
---@field name string
---@field why? string
---@field order? integer
---@field level fun(author: prfix.Author, pr: prfix.Pr): "all"|"reviews"|"none"|nil

---@class (exact) prfix.TriageRule
---@field name string
---@field why? string
---@field order? integer
---@field judge fun(c: prfix.Comment, pr: prfix.Pr): prfix.Hint?

---@class prfix.Repo
local Repo = {}
---@param path string
---@return boolean
function Repo:exists(path) end
---@param path string
---@return string?
function Repo:read(path) end
---@param path string
---@return table?
---@return string? reason
function Repo:json(path) end
---@param path string
---@return table?
---@return string? reason
function Repo:toml(path) end
---@param path string
---@return table?
---@return string? reason
function Repo:yaml(path) end
---@param pattern string
---@return string[]
function Repo:glob(pattern) end

---@class prfix.FailingJob
---@field name string
---@field workflow? string
---@field step? string

---@class prfix.Folder
---@field repo prfix.Repo
---@field dir string  empty for the root
---@field manifest string
---@field text? string  the manifest's content
---@field files string[]  touched files, from the root
---@field rel_files string[]  touched files, from `dir`
---@field failing prfix.FailingJob[]
---@field above string[]  `dir` and every folder above it, up to the root
---@field has fun(name: string): boolean
---@field nearest fun(names: string[]): string?, string?  folder and name, from `dir` upwards
---@field code fun(...: string): string[]  of `rel_files`, those with one of the extensions
---@field join fun(name: string): string
---@field rel fun(path: string): string

---@class (exact) prfix.Step
---@field kind "setup"|"test"|"lint"|"types"
---@field run string[]
---@field scope? "files"|"package"|"workspace"
---@field cwd? string
---@field rank? integer
---@field why? string

---@class (exact) prfix.CommandsRule
---@field name string
---@field why? string
---@field order? integer
---@field manifests string[]
---@field rank? integer
---@field at_root? boolean
---@field commands fun(x: prfix.Folder): prfix.Step[]?

---@class (exact) prfix.ProtectRule
---@field name string
---@field why? string
---@field order? integer
---@field class? string
---@field globs string[]

---@class (exact) prfix.SyntaxRule
---@field name string
---@field why? string
---@field order? integer
---@field globs string[]
---@field argv? string[]  this, or `parse`
---@field parse? "json"|"toml"|"yaml"

---@class (exact) prfix.AsideRule
---@field name string
---@field why? string
---@field order? integer
---@field paths string[]

---@class prfix.AgentInput
---@field role prfix.Role
---@field worktree string
---@field model? string
---@field max_turns integer
---@field budget_usd? number What the call may still cost in US dollars
---@field sandboxed boolean The program's own sandbox holds the call
---@field schema_file string
---@field schema string
---@field prompt_file string
---@field scratch string
---@field checks string[][]

---@class (exact) prfix.Invocation
---@field argv string[]
---@field prompt? "stdin"|"argument"
---@field env? table<string, string>
---@field pass_env? string[]
---@field state_dirs? string[]
---@field output? "text"|"claude-json"|"codex-jsonl"|"qwen-json"|"gemini-json"|"opencode-jsonl"

---@class (exact) prfix.AgentRule
---@field name string
---@field why? string
---@field order? integer
---@field needs string
---@field invoke fun(input: prfix.AgentInput): prfix.Invocation

---@class (exact) prfix.PromptRule
---@field name string
---@field why? string
---@field order? integer
---@field roles? prfix.Role[]
---@field add fun(role: prfix.Role): string?

---@class (exact) prfix.TextRule
---@field name "commit"|"reply"|"summary"
---@field why? string
---@field order? integer
---@field render fun(x: table): string?

---@class (exact) prfix.RetriggerRule
---@field name string
---@field why? string
---@field order? integer
---@field reviewers fun(x: { number: integer, head: string, reviewers: string[], wanted: string[] }): { login: string, name?: string, comment?: string, check?: string }[]?

---@class prfix.PushedRef
---@field local_ref string
---@field local_oid string
---@field remote_ref string
---@field remote_oid string
---@field force boolean
---@field delete boolean
---@field gates_passed boolean  a run saw every gate pass on this very commit

---@class prfix.Push
---@field remote string
---@field url string
---@field managed boolean  from the worktree of a run
---@field pr? integer  the pull request of that run
---@field refs prfix.PushedRef[]

---@class (exact) prfix.GuardRule
---@field name string
---@field why? string
---@field order? integer
---@field allow fun(push: prfix.Push): boolean|string|nil

---@class prfix.Re
local Re = {}
---@param text string
---@return boolean
function Re:test(text) end
---@param text string
---@return string? ...
function Re:match(text) end

---@class prfix.Globs
local Globs = {}
---@param path string
---@return string? glob
function Globs:match(path) end

---@class prfix
---@field api 1
prfix = {}
---@param rule prfix.NoiseRule
function prfix.noise(rule) end
---@param rule prfix.TrustRule
function prfix.trust(rule) end
---@param rule prfix.TriageRule
function prfix.triage(rule) end
---@param rule prfix.CommandsRule
function prfix.commands(rule) end
---@param rule prfix.ProtectRule
function prfix.protect(rule) end
---@param rule prfix.SyntaxRule
function prfix.syntax(rule) end
---@param rule prfix.AsideRule
function prfix.aside(rule) end
---@param rule prfix.AgentRule
function prfix.agent(rule) end
---@param rule prfix.PromptRule
function prfix.prompt(rule) end
---@param rule prfix.TextRule
function prfix.text(rule) end
---@param rule prfix.RetriggerRule
function prfix.retrigger(rule) end
---@param rule prfix.GuardRule
function prfix.guard(rule) end
---@param id string  `kind/name`, globs allowed
function prfix.off(id) end
---@param id string  `kind/name`
---@return table rule
function prfix.base(id) end
---@param path string
---@return string? glob
function prfix.protected(path) end
---@param pattern string  a regular expression in linear time; see git-prfix-rules(5)
---@return prfix.Re
function prfix.re(pattern) end
---@param globs string[]
---@return prfix.Globs
function prfix.globs(globs) end
---@param pattern string
---@param path string
---@return boolean
function prfix.glob(pattern, path) end
---@param body string
---@return string
function prfix.prose(body) end
---@param body string
---@return string[]
function prfix.clauses(body) end
---@param block string
---@return string[][]
function prfix.shell_lines(block) end
---@param ... table?
---@return table
function prfix.merge(...) end
---@generic T
---@param ... T[]
---@return T[]
function prfix.cat(...) end
---@param list string[]
---@return string[]
function prfix.uniq(list) end
---@param ... any
---@return string
function prfix.flat(...) end
---@param value any
---@return string
function prfix.json(value) end

---@class prfix.TestComment
---@field body? string
---@field kind? "thread"|"review"|"comment"
---@field author? string|false|{ login: string, type?: "User"|"Bot", association?: prfix.Association }
---@field id? string
---@field review_state? string
---@field path? string
---@field line? integer
---@field outdated? boolean
---@field resolved? boolean
---@field minimized? string
---@field own? boolean

---@class prfix.T
---@field dropped fun(comment: string|prfix.TestComment, by?: string)
---@field kept fun(comment: string|prfix.TestComment)
---@field untrusted fun(comment: string|prfix.TestComment)
---@field hint fun(comment: string|prfix.TestComment): prfix.Hint?
---@field commands fun(files: table<string, string>, touched?: string[], failing?: prfix.FailingJob[]): { setup: string[], test: string[], lint: string[], narrow: string[] }
---@field protected fun(path: string): string?
---@field text fun(name: string, context: table): string?
---@field eq fun(got: any, expected: any)
---@field ok fun(value: any, message?: string)

---@param name string
---@param run fun(t: prfix.T)
function test(name, run) end
