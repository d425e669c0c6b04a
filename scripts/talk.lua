prfix.api = 1
-- Commands to robots, and small talk. A comment is cut into clauses; it is dropped only when every single one is
-- recognised as a whole. So "LGTM, but please rename it" is kept for its second clause.

local prose, clauses = prfix.prose, prfix.clauses

-- Commands to robots -------------------------------------------------------------------------------------------------

local function set(words)
  local out = {}
  for word in words:gmatch("%S+") do out[word] = true end
  return out
end

-- After these a line says nothing else; after `approve` and `lgtm` it may.
local COMMANDS = set [[
  assign unassign cc uncc hold unhold retest test ok-to-test label remove-label kind area priority milestone close reopen
  retitle cherry-pick cherrypick backport rebase merge squash queue dequeue azp run review describe improve ask rerun
  recheck build deploy benchmark bench format fmt fix-format lifecycle remove-lifecycle sig triage override skip check-cla
  easycla gemini run-tests trigger ready draft update-branch snapshot release canary preview prettier clang-format
  hold-cancel lgtm-cancel approve-cancel joke meow woof honk pony shrug remove-hold remove-kind stage unstage e2e ci
]]
local OPEN = set "lgtm approve approved"
local REASONED = set "hold close reopen lgtm approve approved unhold"
local REQUEST = prfix.re [=[(?i)\b(?:please|pls|need|needs|must|should|fix|add|rename|remove|update|change|can you|could you|but|missing|wrong|broken|fails?|is|are)\b]=]

local ROBOT_NAMES = set [[
  bors rustbot dependabot renovate renovatebot mergifyio mergify coderabbitai coderabbit sourcery-ai sourcery codecov
  googlebot k8s-ci-robot k8s-bot openshift-bot greptileai greptile greptile-apps qodo-merge qodo-merge-pro codiumai-pr-agent
  ellipsis-dev pull-request-bot ti-chi-bot rust-timer craterbot rust-lang/infra swift-ci jenkins jenkinsbot azure-pipelines
  netlify vercel tensorflow-jenkins pytorchbot pytorchmergebot msftbot dotnet-bot prow homu all-contributors allcontributors
  gemini-code-assist cirrus-ci github-actions semantic-release-bot changeset-bot sonarcloud bugbot miri ofborg graphite-app
  kodiakhq trunk-io codeclimate ci-bot tidelift stale sweep-ai korbit-ai pr-agent mlc-bot blathers-crl nixpkgs-merge-bot
]]
-- Agents that take requests in free words: only their plain commands are none of our business.
local AGENT_NAMES = set "claude copilot codex cursor cursoragent devin devin-ai-integration jules openhands openhands-agent opencode qwen-code"
local AGENT_COMMAND = prfix.re [=[^(?:please )?(?:do a |run a |run )?(?:(?:full |quick |code )?(?:re-?)?review(?: again| this(?: pr)?| please| once more)?|summar(?:y|ize)(?: this)?|help|resume|pause|stop|resolve|approve|rebase|retry|run)\W*$]=]
local OTHER_COMMAND = prfix.re [=[^(?:bors (?:r[+-=?]|try|merge|retry|ping|delegate|cancel|p=|d).*|r[+]( .*)?|r=[\w-]+|r\? .*|recheck(?:-\w+)?|retest(?: this)?(?: please)?|re-?run (?:ci|tests|checks|all)|ok to test|(?:please )?test this(?: please)?|(?:jenkins|@?swift-ci|@tensorflow-jenkins)[, ].*(?:test|build|retest|run).*|run (?:tests|ci|e2e|checks|benchmarks?|buildkite|jenkins)|bugbot run|cursor review|![a-z][\w-]*( [\w-]+)?|i have read the cla document and i hereby sign the cla|i(?:'ve| have) signed (?:it|the cla).*|i signed it.*|ci[: ]*(?:retry|restart|rerun)|rerun(?: please)?|trigger ci|\[(?:ci skip|skip ci|ci rerun|test all)\])\W*$]=]

-- True when the line is a command; the rest of the line when it may say more.
local function command(line)
  local word, rest = line:match("^/([%a][%w_-]*)%s*(.*)$")
  if word and (rest == "" or line:match("^/[%a][%w_-]*%s")) then
    word = word:lower()
    -- A reason may follow these, and a reason may be a request.
    if REASONED[word] and REQUEST:test(rest) then return true, rest end
    if OPEN[word] then return true, (rest:gsub("^no%-issue%s*", ""):gsub("^cancel%s*", "")) end
    if COMMANDS[word] then return true, "" end
    if rest == "" or rest:find("^[@%-#][%w_./-]*$") or rest:find("^[%w_.:/-]+$") then return true, "" end
    return false
  end
  local name, tail = line:match("^@([%w_/-]+)[%s,:]*(.*)$")
  name = name and name:lower():gsub("%-?bot$", "")
  if name and (ROBOT_NAMES[name] or ROBOT_NAMES[name .. "bot"]) then
    -- Some words are a command; a long sentence may say what is wrong.
    local _, words = tail:gsub("%S+", "")
    return true, words > 4 and REQUEST:test(tail) and tail or ""
  end
  if name and AGENT_NAMES[name] and (tail == "" or AGENT_COMMAND:test(tail:lower())) then return true, "" end
  if OTHER_COMMAND:test(line:lower()) or line:find("^%u[%w-]+%-[Bb]y: ") then return true, "" end
  return false
end

-- What a command has somewhere, but for those that are words alone.
local MARKS = prfix.re [=[[/@!+=\[]|-by:|bors]=]

-- The text without its command lines, and how many those were.
local function split_commands(text)
  if not MARKS:test(text) and not OTHER_COMMAND:test(text:lower()) then return text, 0 end
  local kept, count = {}, 0
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do
    line = line:gsub("^%s+", ""):gsub("%s+$", "")
    local is, rest = command(line)
    if is then
      count = count + 1
      if rest ~= "" then kept[#kept + 1] = rest end
    else
      kept[#kept + 1] = line
    end
  end
  return table.concat(kept, "\n"), count
end

-- Two rules in a row ask for the same text.
local asked, kept_text, kept_count
local function without_commands(text)
  if text ~= asked then
    asked, kept_text, kept_count = text, split_commands(text)
  end
  return kept_text, kept_count
end

-- Small talk in English ------------------------------------------------------------------------------------------------

local function any(list) return "(?:" .. table.concat(list, "|") .. ")" end

-- Words that may stand in front of anything.
local FILLERS = set [[
  ok okay okey yes yeah yea yep yup ah ahh oh ooh aha hey hi hello well wow whoa woah and also so sorry sure haha lol right
  cool great nice awesome perfect anyway overall otherwise again personally imo imho tbh fwiw really just now then btw
  finally honestly amazing alright thanks thx generally hmm cheers good excellent yay oops hah heh phew lovely brilliant man ha argh ugh gah touché doh guilty
]]
local OPENING = prfix.re("^" .. any {
  "for me ", "all in all ", "from my side ", "from my end ", "in general ", "this time ", "at first glance ", "looks like ",
  "i think ", "i guess ", "i believe ", "in that case ", "all right ", "good point ", "good idea ", "\\+1 ", "valid point ", "good catch ", "nice catch ", "you're right ", "i see ", "thank you ", "other than that ",
  "apart from that ", "aside from that ", "besides that ", "my bad ", "great idea ", "makes sense ", "fair enough ", "got it ",
} .. "(.*)$")
local VERY = "(?:(?:so|very|really|super|pretty|quite|absolutely|totally|completely|perfectly|much|way|all|just|such|a|an|the|real|truly|extremely|incredibly|particularly|especially|even|now|already|generally|mostly|overall|also|definitely|seriously|fairly|simply|damn|well|lot|bit|little) )*"
local GOOD = any {
  "good", "great", "nice", "fine", "ok", "okay", "awesome", "amazing", "excellent", "perfect", "fantastic", "brilliant", "beautiful",
  "lovely", "neat", "cool", "clever", "elegant", "solid", "superb", "wonderful", "impressive", "sweet", "stellar", "terrific",
  "outstanding", "fabulous", "gorgeous", "epic", "incredible", "magnificent", "phenomenal", "top[- ]notch", "first[- ]class",
  "spot[- ]on", "exciting", "delightful", "slick", "super", "killer", "dope", "fire", "noice", "lit", "smart", "thorough", "flawless", "dandy", "peachy",
}
local BETTER = any {
  GOOD, "clean", "cleaner", "better", "simpler", "nicer", "readable", "more readable", "easier to (?:read|follow|understand|reason about)",
  "clear", "clearer", "correct", "right", "reasonable", "sensible", "useful", "helpful", "tidy", "tidier", "neater", "well (?:done|written|thought out|structured|tested|documented|organi[sz]ed)",
  "sound", "legit", "concise", "straightforward", "faster", "fair", "simple", "fun", "ready", "a relief", "a win", "(?:big |huge |great |nice |massive )?improvement",
  "step forward", "(?:exactly )?what (?:i|we) (?:had in mind|wanted|needed|meant|expected|was looking for|were looking for)", "in (?:good|great|perfect) shape", "a joy to read", "good to (?:go|merge|ship|land|me)", "ready to (?:go|merge|ship|land)",
}
local THING = "(?:(?:this|that|it|they|these|those|everything|all|both|rest|code|changes|tests?|docs?|the rest|(?:(?:the|your|this|that|these|those|all|my|new|whole|overall|latest|updated|rest|of|last|other|entire) )+(?:code|changes?|fix|fixes|pr|prs|pull request|patch|implementation|approach|refactor|refactoring|refactors|diff|rest|tests?|docs|documentation|solution|version|updates?|commits?|design|cleanup|idea|result|logic|naming|structure|description|explanation|work|api|one|thing|stuff|plan|migration|test coverage|coverage|error messages?|comments?|this|it))(?: (?:here|now|already))?(?: |'s |'re ))?"
local BE = "(?:(?:is|are|was|were|looks?|looking|looked|reads?|seems?|feels?|sounds?|works?|turned out|came out|has become|got|gets|makes? (?:it|this|things|everything)|made (?:it|this|things)) )*"
local TAIL = "(?: (?:to me|to us|now|here|overall|so far|as is|as it is|from (?:my|our|the [\\w-]+) (?:side|end|perspective|pov|team|point of view)|on my (?:side|end|machine)|from me|for me|for us|by me|with me|in general|in principle|in my opinion|at this point|to see|to go|to merge|to land|to ship|to hear|enough|again|too|indeed|as always|as usual|as ever|all around|already|then|everyone|everybody|team|folks|all|guys|man|mate|dude|buddy|friend|sir|locally|today|and (?:clean|simple|clear|readable|tidy|tested|concise)|than before|(?:compared to|over|than) (?:the )?(?:old|previous|current|existing|original) (?:code|version|one|approach|implementation|way|design)|that way|this way|like this|of you|thanks|thank you|thx|lgtm|approved?|approving|ship it|otherwise|for now|as well|let's (?:merge|ship|land|go)(?: it| this)?|merging|though|in any case|either way))*"
local REF = "(?: ?(?:in|by|with|via|at|as of|see|per|from|on|->|=>|:|and|,|commit)? ?(?:sha|ref|url))*"
local WORK = "(?:work|job|stuff|change|changes|one|pr|patch|improvement|improvements|cleanup|clean-?up|refactor|refactoring|fix|fixes|idea|ideas|solution|tests?|test coverage|coverage|catch|catches|find|finding|points?|suggestions?|contribution|addition|call|thinking|question|spot|eye|touch|trick|tip|example|explanation|write-?up|description|feature|effort|teamwork|team work|thought|move|turnaround|response|start|progress|news|investigation|detective work|debugging|first (?:pr|contribution|step)|approach|implementation|docs|documentation|commit messages?|simplification|abstraction|separation|speedup|attention to detail|initiative|discussion|review|pull request|code)"
local THANKS = "(?:many thanks|thanks?|thank you|thank u|thankyou|thanx|thnx|thnks|thks|thx|tks|ty|tysm|tyvm|cheers|kudos|props|appreciated?|much appreciated|(?:i |we )?(?:really |greatly |much )?appreciate (?:it|that|this|you|the (?:help|feedback|review|effort|work|patience)|your (?:help|work|time|feedback|patience|effort))|(?:big|huge|many|special) (?:thanks|thank you|kudos|props)|gracias|merci|danke)"
local THANKED = "(?: (?:so much|very much|a lot|a ton|a bunch|a million|lots|tons|again|all|both|everyone|folks|guys|team|man|mate|everybody|in advance|too|you|kindly|much|bunches|sir|buddy|friend|to you(?: both| all)?|to everyone|y'all|as always|and|&|@[\\w-]+))*"
local GIFT = "(?:quick |fast |super |very |thorough |detailed |great |nice |good |careful |helpful |prompt |awesome |excellent |hard |valuable |kind |thoughtful |speedy |swift |clear |extra |in-depth |insightful |comprehensive |continued |amazing |wonderful |code |first |initial |early )*(?:reviews?|re-?review|reviewing|fix|fixes|fixing|updates?|updating|changes?|feedback|prs?|pull requests?|contributions?|contributing|patch|help|work|efforts?|explanation|explaining|clarification|clarifying|info|information|heads[- ]?up|ping|catch|input|comments?|suggestions?|responses?|reply|replies|turnaround|look|looking|cleanup|refactor|refactoring|patience|time|support|pointers?|links?|tips?|advice|context|details|notes?|confirmation|confirming|report|reporting|improvements?|addition|answers?|insights?|words|ideas?|reminder|tests?|merge|merging|approval|investigation|write-?up|docs|documentation|everything|this|that|it|these|both|addressing|handling|taking care of|checking|catching|pointing|noticing|spotting|flagging|adding|doing|working on|jumping on|getting to|taking (?:a|another) look(?: at (?:this|it))?|taking the time|bearing with me)"
local DONE = any {
  "done", "fixed", "addressed", "resolved", "updated", "changed", "removed", "renamed", "added", "applied", "pushed", "reverted", "rebased",
  "merged", "squashed", "moved", "cleaned(?: (?:it|this|that))? up", "corrected", "refactored", "replaced", "dropped", "implemented", "split", "extracted",
  "handled", "tweaked", "adjusted", "simplified", "inlined", "deleted", "documented", "clarified", "bumped", "amended", "completed", "taken care of",
  "sorted(?: out)?", "force[- ]pushed", "reworded", "rephrased", "improved", "restored", "switched", "converted", "incorporated", "reworked", "rewrote", "rewritten", "committed", "tested", "verified",
  "confirmed", "regenerated", "formatted", "reformatted", "deployed", "released", "landed", "backported", "cherry-picked", "closed", "retested", "reran",
  "re-ran", "restarted", "retriggered", "re-triggered", "included", "covered", "shipped", "published", "opened", "filed", "created", "noted", "tracked", "reproduced",
}
-- Of these, the ones that say what became of the code; a report of a test may be a report of a fault.
local CHANGED = "(?:done|fixed|addressed|resolved|updated|changed|removed|renamed|added|applied|pushed|reverted|rebased|squashed|moved|corrected|refactored|replaced|dropped|implemented|split|extracted|handled|tweaked|adjusted|simplified|inlined|deleted|documented|clarified|bumped|switched|converted|reworked|rewrote|opened|filed|created|reworded|rephrased|regenerated|reformatted|formatted|wrapped|hoisted|restored|tightened|shortened|expanded|improved|cleaned|unified|deduplicated|aligned|sorted|now using|now uses)"
local CI = "(?:(?:the|our|all|latest) )*(?:ci|tests?|checks?|builds?|pipelines?|workflows?|jobs?|status checks|everything)(?: (?:run|suite|jobs?|checks?|build))?"
local PASS = "(?:(?:is|are|was|were|has|have|looks?|goes|go|turns?|comes back|came back|finish(?:es|ed)?|completes?|now|all|been|finally|(?:should|will) be) )*(?:green(?: again)?|pass(?:es|ed|ing)?|happy|done|good|ok|clean|succeed(?:s|ed)?|finish(?:es|ed)?|completes?|successful)(?: (?:now|again|locally|here|for me))*"
local COUNT = "(?:just |only |left |added |posted |have |had |i have |i've |i left |i've left |i added |i've added |see |please see |with |some |a |an |one |two |three |four |\\d+ |a few |few |couple |couple of |several |my |minor |small |tiny |little |inline |non-?blocking |optional |additional |other |quick |final |last |the |very |really |mostly |style |stylistic |general |overall |trivial |cosmetic |of |one more |two more |a few more |some more |couple more )+"
local NOTES = COUNT .. "(?:(?:comments|nits?|nitpicks?|questions?|suggestions?|remarks|notes|thoughts|things)(?: (?:inline|below|above|in the code|in the diff|on the code|in line|for you|from me|on the diff|in review|left|but nothing (?:major|blocking|serious)))*|(?:comment|note|remark|thought) (?:inline|below|above))"
local LATER = "(?:(?:in|as|for|to) (?:a|an|the|another|some)(?: (?:separate|future|later|different|next|new|other|small|quick|dedicated|subsequent|another))* ?(?:follow-?\\s?ups?|prs?|pull requests?|issues?|commits?|changes?|patch(?:es)?|tickets?|releases?|iterations?|sprints?)(?: (?:prs?|issues?|commits?|tickets?|tasks?))?|in follow-?\\s?ups?|separately|later(?: on)?|afterwards|another time|next(?: week| sprint| time)?|tomorrow|tonight|today|soon|shortly|asap|right away|in a (?:bit|moment|minute|sec|second|few)|this (?:week|afternoon|evening|weekend)|on monday|when i (?:get (?:to it|a chance|back|home)|have (?:time|a (?:minute|moment|chance)))|eod)"
local DO = "(?:do|fix|update|address|change|look|check|handle|push|rebase|investigate|follow[- ]?up|get to|take care of|have a look|take (?:a|another) look|take over|think about|see|test|try|review|retest|reopen|clean|adjust|rework|amend|respond|reply|get back|circle back|dig|apply|tackle|work|wait|keep you posted|ping|revisit|report back|double[- ]check|verify|confirm|revert|rename|remove|split|write|document|leave|defer|postpone|track|incorporate|implement|refactor|squash|fix up|add|open|file|create|simplify|move|replace)"
local I_WILL = "(?:i'll|i will|will|i'm going to|i am going to|gonna|going to|i can|let me|i'm gonna|we'll|we will|i shall)"
local I_DID = "(?:i've |i have |we've |we have |i |we |just |already |also |all |both |now |got |should now be |(?:this|it|that|these|they|everything)(?: is| are|'s|'re| was| were| has been| have been| got)(?: all| now| already)? |(?:(?:the|all|your|these|both|review|merge|my|our|of|previous|earlier|open|remaining) )*(?:comments?|feedback|suggestions?|nits?|conflicts?|typos?|points?|remarks|issues?|requests?|threads?|concerns?|questions?)(?: (?:is|are|were|was|have been|has been))?(?: all| now)? |is |has been |have been )*"
local OBJECT = "(?: (?:it|this|that|them|these|those|both|all|everything|all of (?:them|these|it)|(?:the|your|all|all the|all your|requested|review|merge|suggested|pr|remaining|other) ?(?:(?:the|your|requested|review|merge|suggested|pr|remaining|other|last) )*(?:comments?|feedback|typos?|nits?|conflicts?|branch|pr|suggestions?|tests?|docs?|description|title|changelog|changes|name|wording|names|remarks|points?|issues?|commits?|threads?)|now|again|already|too|as well|accordingly|above|below|here|there|(?:the )?(?:latest )?(?:main|master|upstream)(?: (?:into|in) (?:this|the|my) branch)?|locally|(?:in)?to (?:main|master|develop|trunk|production|prod|staging)|to (?:fix|resolve|address) (?:the )?(?:merge )?(?:conflicts?|comments|feedback)|as (?:suggested|requested|discussed|proposed|you suggested|per (?:your|the|review) ?(?:comments?|suggestion|feedback|review)?|advised|mentioned|asked|recommended|well)|per (?:your |the |review )*(?:suggestions?|comments?|feedback|review|discussion)|with (?:main|master|the latest main|latest main|upstream|develop|latest)|on(?:to)? (?:top of )?(?:the )?(?:latest )?(?:main|master|upstream|develop|trunk|head)|in(?:to)? (?:the )?(?:latest|last|next|new|newest|most recent|previous|following|same) (?:commit|push|revision|version|update|changes|patch|release)|in (?:my|the|this) (?:latest |last |next |new )?(?:commit|push|pr|branch)|in v?\\d[\\w.-]*|an? (?:fix|new (?:commit|version|revision)|commit|test(?: for (?:it|this|that))?|changelog entry|follow-?up|comment|regression test|unit test)|latest changes|from (?:main|master)|out|off|by me|for (?:you|now)|please (?:take (?:another|a) look|re-?review|check|review|have (?:another|a) look)|ptal|let me know|and (?:pushed|rebased|squashed|force-pushed|tests? added|added (?:a )?tests?|updated(?: the (?:docs|tests|description))?)))*"

local TALK = {
  -- praise
  THING .. BE .. VERY .. BETTER .. "(?: " .. WORK .. ")?",
  "(?:well|nicely|beautifully|great|good|nice|top) (?:done|played|spotted|caught|put|said|written|found|explained|handled|executed)",
  "(?:i |we |i'm |im |we're )?(?:really |absolutely |totally |very |so |just |also )*(?:love|loving|like|liked|enjoy(?:ed)?|dig|adore|a fan of|happy with|excited about|impressed(?: by| with)?) (?:it|this|that|these|all of this|the (?:changes?|result|approach|idea|new (?:approach|design|api|version|structure)|refactor|cleanup|tests|direction|simplification|naming|pr|fix|solution)|what you(?:'ve| have)? (?:did|done)(?: here)?|where this is going|how (?:clean|simple|small|readable) (?:this|it) (?:is|looks|reads))",
  "(?:wow|yay|woo|woot|hooray|hurray|woohoo|bravo|chapeau|hats off|congrats|congratulations|boom|amen|legend|you rock|you'?re (?:the best|awesome|amazing|a star|a legend|a hero|a lifesaver|welcome|right|(?:absolutely|totally|completely|quite) right|correct|too kind)|you are (?:right|the best|awesome|welcome|correct)|(?:you )?made my day|what an? (?:improvement|contribution|pr|change|cleanup|relief|ride|journey|great \\w+|nice \\w+|beautiful \\w+)|keep it up|keep up the (?:good|great|awesome) work|so much (?:better|cleaner|nicer|simpler)|can't wait(?: for (?:this|it)| to (?:use|see|try) (?:this|it))*|much needed|long overdue|magic|chef'?s kiss|mic drop|let'?s go+|lfg|hype|gg|wp|weird flex|rockstar|beast|goat)",
  "(?:.{0,20} )?(?:thumbs up|two thumbs up)",
  -- thanks
  VERY .. THANKS .. THANKED .. "(?: for (?:(?:the|your|all|all the|all your|such a|a|another|this|these|that) )?" .. GIFT .. "(?: (?:this|that|it|these|them|so|quickly|out|up|on|at|the|all|my|your|typos?|bugs?|issues?|comments?|feedback|review|and (?:the )?(?:feedback|suggestions|comments|help|explanation|review|patience|time|fix|fixes|tests|quick (?:fix|review|response))))*)?",
  -- approval
  "(?:(?:code|docs?|this|it|that|the rest|rest|all|everything|changes|overall|mostly|basically|strong|otherwise|conditional|self|final|re|still|now) )*(?:lgtm|sgtm|lg2m|lg|lgmt|ltgm|lgtm\\d|lgtm\\+\\d|l[- ]?g[- ]?t[- ]?m|wfm|ship[- ]?it|ship|sounds good|looks good)(?: (?:after the (?:latest|last|recent) (?:changes|commits?|push|update|fix(?:es)?)|after (?:the )?rebase|too|also|x ?\\d|\\d|with (?:the )?(?:nits|comments|minor comments)(?: (?:inline|above|below))?|modulo (?:(?:the|my|minor|a few|inline|small) )*(?:nits?|comments?)|(?:apart|aside) from (?:(?:the|my|a few|inline|minor) )*(?:nits?|comments?)(?: (?:inline|above|below))?))*",
  "(?:(?:i|i'm|we|re|hereby|happily|gladly|now|will|i'll|i will|happy to|ready to|going to|about to|gonna|pre|auto) ?-?)*(?:approved?|approving|approval|approves?|merge|merging|accept(?:ed|ing)?|sign(?:ed|ing)? off)(?: (?:this|it|that|the (?:pr|changes?)|for (?:docs|design|infra|api|the .* team|my part|my area)|after (?:the )?rebase|from .*|on behalf of .*|again|after the (?:latest|last|recent) (?:changes|commits?|push|update|fix(?:es)?)|with pleasure|tomorrow|later|soon|when ready|when green|when (?:you're |you are )?ready|away))*",
  "(?:\\+ ?1(?: (?:to|for|on) (?:merging|merge|this|that|shipping|landing)(?: (?:this|it))?)?|\\+ ?\\d+|1\\+|ack|acked|utack|tack|r\\+|y|k|kk|yes|yep|yup|yeah|yes indeed|sure|sure thing|of course|certainly|absolutely|definitely|totally|exactly|precisely|indeed|true|very true|clear now|all clear now|right|correct|affirmative|roger(?: that)?|copy that|10-4|aye|okay|ok|okie|okey dokey|alright|deal|fair|fair enough|fair point|fair call|(?:that |it |this )?(?:all )?makes? (?:total |perfect |a lot of |complete )?sense|understood|got it|gotcha|i see|ic|noted|acknowledged|will do|can do|wilco|agree|agreed|i agree|(?:i )?(?:fully|strongly|totally|completely) agree|(?:i )?concur|seconded|second this|what (?:he|she|they) said|100%?|no problem|no problemo|np|no prob|no worries|nw|my (?:bad|mistake|fault)|oops|whoops|oopsie|ouch|doh|d'oh|sorry|apologies|pardon|sorry (?:about|for) (?:that|this|the (?:noise|delay|confusion|late (?:reply|review)|wait|spam|trouble|mess|mistake|inconvenience|churn)|my mistake|missing (?:this|that)|being late)|never ?mind|nvm|nm|(?:please |pls )?ignore(?: (?:me|this|that|it|the above|my (?:last |previous |earlier )?(?:comment|message|question|remark)))?|(?:scratch|strike) that|(?:please |pls )?disregard(?: (?:this|that|it|me|the above|my (?:last |previous |earlier )?(?:comment|message|question)))?|false alarm|all clear|all good|all set|all done|good (?:to (?:go|merge|ship|know|see)|by me)|fine (?:by|with) me|works for me|suits me|ready|ready to (?:merge|go|ship|land|roll)|ready for (?:another |final |re-?)*(?:review|merge|look|round)|go ahead|go for it|feel free to (?:merge|ship|land)(?: it| this)?(?: (?:whenever|when(?:ever)? (?:you're |you are )?ready|any ?time))?|(?:let's )?(?:get this (?:in|merged)|do it|roll)|let's (?:merge|ship|land|go)(?: (?:it|this|that))?|ship away|(?:please|pls) (?:merge|go ahead)|(?:not blocking|non-?blocking|not a blocker|nothing blocking)|no rush|no hurry|no pressure|take your time|up to you|your call|whatever you (?:prefer|think|like)|either (?:way )?(?:is fine|works)|don't worry(?: about it)?|no need to worry|you bet|my pleasure|glad to (?:help|hear(?: it| that)?)|happy to help|you'?re welcome|welcome|you too|same to you|haha(?:ha)*|hehe|rofl|lmao|heh|ikr|phew|huh|interesting|neat|(?:i )?(?:wasn't|was not) aware(?: of (?:this|that|it|this api|that one))?|(?:i )?(?:didn't|did not) (?:realize|realise|notice|think of|consider) (?:that|this|it)|(?:i )?had no idea|(?:i |we )?(?:hadn't|had not|haven't) (?:thought of|considered|realized|realised|noticed|seen|known) (?:it|this|that)(?: (?:before|yet|way|one|case))*|fine then|fair then|ok then|(?:retrying|rerunning|re-running|restarting|kicking|retriggering) (?:the |that |this |a |all |failed |flaky |ci )*(?:jobs?|tests?|builds?|checks?|ci|pipelines?|runs?|workflows?)|(?:i )?see what you (?:mean|did|meant)(?: there)?|(?:i'll |i will |will )(?:keep (?:that|this|it) in mind|remember (?:that|this|it))|good to know(?: for .*)?|let's (?:keep|leave) (?:it|this|that)(?: as is| for now| then)*|no need to (?:apologi[sz]e|worry|rush|be sorry|wait for me)|crystal clear|clear|(?:yes |yeah |yep |no )?(?:it|this|that|they|these) (?:is|does|do|are|was|did|has|will)|a ?\\+|gold|splendid|cute|legit|tnx|aight|okie dokie|vali?d (?:point|concern|question)|good eyes|still on my (?:list|radar|plate)|(?:still )?working on (?:it|this)|see you (?:there|around|in .*)|on to the next(?: one)?|(?:this|that|it) made my day|you are an? [\\w-]+|(?:it )?took (?:me )?(?:a while|so long|too long)|(?:i've|i have|have) been (?:busy|away|sick|swamped|travell?ing|on vacation)|(?:finally )?(?:had|got|found) (?:some )?time(?: to (?:look at|review|get to|work on) (?:this|it))?|(?:i )?don't have (?:the |any |much )?time(?: (?:right now|at the moment|today|this week|for this))*|enabled auto-?merge|auto-?merge enabled|auto-?merge|set to auto-?merge|(?:added|adding) (?:this |it )?to (?:the )?(?:merge )?queue|removed (?:this |it )?from (?:the )?(?:merge )?queue|queued(?: for merge)?|(?:main|master|trunk) is green(?: again)?|(?:needs?|missing|waiting for|just waiting for|waiting on|still needs?) (?:one|two|another|an|one more|a second|more|some|a)(?: more)? (?:approvals?|reviews?|reviewers?|pair of eyes)|(?:one|two) more (?:approvals?|reviews?) (?:needed|required|to go|missing)|(?:just |still )?waiting (?:for|on) (?:@[\\w-]+|someone|somebody|you|the (?:maintainers|reviewers|team)|maintainers|reviewers) to (?:review|approve|merge|respond|reply|take a look)(?: (?:this|it))?|(?:the )?fix is (?:now )?(?:on|in) (?:main|master|ref|url|the (?:next|latest) release)|(?:i )?(?:re-?)?ran (?:the )?(?:formatter|linter|prettier|black|rustfmt|gofmt|eslint|cargo fmt|pre-commit)(?: again| now)?|(?:exactly|precisely) this|(?:wow )?(?:that|this) was (?:fast|quick)|(?:i )?learned something(?: new)?(?: today)?|(?:you )?convinced(?: me)?|(?:i'm )?(?:sold|convinced)|(?:i )?(?:fully |totally |completely |strongly )?agreed?(?: with(?: (?:this|that|you|the above|both|everything|@?[\\w-]+))?)?|same opinion|(?:i )?did (?:it|that|this|so)|doing (?:it|that|so)|(?:this is |it's |that's |it is )?(?:intentional|by design|on purpose|as designed|working as (?:intended|designed)|expected behaviou?r)|(?:i'll |will |let's )?(?:keep|leave|keeping|leaving|kept|left)(?: (?:it|this|that|them))? as[- ]is|(?:a |the )?fix (?:is )?(?:pushed|incoming|coming(?: up)?|up|ready|on (?:its|the) way)|following|subscribing|subscribed|watching|from (?:me|my side|the [\\w-]+ team)|reopening|reopened|re-opening|re-opened|closed by (?:mistake|accident)|empty commit(?: to trigger ci)?|(?:to )?(?:trigger|triggering|restart|kick)(?:ing)? ci|for sure|10/10|til|yessir|hero|hero of the day|resolving|outdated now|(?:i )?(?:didn't|did not) know (?:about )?(?:that|this|it)(?: one)?(?: existed)?|glad (?:you (?:like|liked|enjoy) it|it (?:helps|helped|works|worked))|no (?:problem|worries|prob) at all|review done|done reviewing|marking (?:this )?as (?:resolved|done|outdated)|(?:resolving|closing) (?:this )?(?:thread|conversation)|that'?s (?:it|all|right|true|fair|correct|fine|ok|okay|a wrap|the spirit|all from me|good|great|perfect|awesome|nice|better)|to the moon|done deal|no action needed|no longer an issue|non-?issue|resolved on my end)",
  "(?:i |we )?(?:have |see |there are |got |had |with )?(?:no|zero|no other|no more)(?: (?:further|more|other|additional|else|major|remaining|outstanding|blocking|new|real|big|strong))* (?:comments?|concerns?|objections?|issues?|notes?|complaints|remarks|questions?|nits?|problems?|feedback|opinions?|feelings?|preferences?|changes (?:needed|requested|required)|requests?|suggestions?|blockers?|findings)(?: (?:at the moment|at this time|found|to report|left|remaining|anymore))*",
  "(?:i |we )?(?:have |see |there is |got )?nothing(?: (?:further|more|else|blocking|to add|to complain about|to report|major|serious))*",
  "(?:no longer|not)(?: (?:relevant|applicable|an issue|a problem))(?: any ?more)?|n/a",
  "(?:i think |i believe )?(?:this |it |pr |the pr |now |everything )*(?:is |are |'s )?(?:now )?ready (?:for|to) (?:another |final |a |re-?)*(?:review|be reviewed|merge|be merged|go|ship|land|look|round of reviews?)",
  "(?:i'm|i am|im|we're|we are|am) (?:good|fine|ok|okay|happy|cool|on board|all for (?:it|this)|satisfied|comfortable|pleased|convinced)(?: (?:with (?:this|that|it|the (?:changes?|pr|approach|result|fix|current (?:state|version))|both|either|merging(?: this| it)?)|to (?:merge|approve|ship|land)(?: this| it)?))*",
  "(?:lgtm|approved?|good to (?:go|merge)|merge|merging|let's merge|will merge|can merge|i'll merge|ready to merge|should be good|looks good|ship it|happy to merge|i'll approve|will approve|can be merged|good)(?: to me)?(?: (?:this|it|to go))* (?:once|when|after|if|pending|assuming|provided|as soon as|modulo|on|with) " .. CI .. "(?: " .. PASS .. ")?",
  "(?:once|when|after|as soon as|pending|assuming) " .. CI .. " " .. PASS,
  -- done
  I_DID .. DONE .. "(?: (?:and|&) " .. DONE .. ")*" .. OBJECT,
  "(?:this |that |it |all )?should (?:all )?(?:now )?be (?:fixed|done|addressed|resolved|updated|good|ok|okay|fine|working|all set|better|ready|corrected)(?: (?:now|by now|in the latest (?:commit|push|version)))*",
  I_WILL .. "(?: (?:just|also|try to|go|quickly|definitely|then|probably|go ahead and|still|happily|gladly|look to))* " .. DO .. "(?: (?:it|this|that|them|these|those|into (?:it|this|that)|at (?:it|this|that)|on (?:it|this|that)|a fix|up|so|again|(?:the|your|those|these) (?:pr|comments?|typos?|conflicts?|branch|tests|docs|rest|others|name|description|suggestions?|feedback|remarks|changelog)|an? (?:issue|ticket|follow-?up|follow-?up (?:pr|issue)|test|fix|look|pr|separate pr|new (?:pr|version)|comment|note)|(?:some )?tests?|to (?:it|you|this|that)|out|back|everything|all of (?:them|it|these)|both|for (?:it|this|that)|as is|as suggested|too|now|then|first|myself|and (?:report back|push|update|let you know|get back(?: to you)?)|" .. LATER .. "))*",
  "(?:working on (?:it|this|that|a fix)|work in progress|wip|on it|looking(?: (?:into|at) (?:it|this|that))?|checking(?: (?:it|this|that))*|investigating|taking a look|testing(?: (?:it|this|that))*|in progress|reviewing(?: this| it)*|fixing(?: (?:it|this|that))*|updating(?: it)*|rebasing|(?:re-?running|restarting|re-?triggering|kicking|retrying)(?: (?:off|ci|the (?:tests|jobs?|build|ci|failed jobs?|checks)|it|tests|checks))*|closing and re-?opening(?: to (?:trigger|restart|kick|rerun) ci)?|retrying|waiting|waiting (?:for|on) (?:ci|reviews?|approval|the (?:ci|build|release)|checks|feedback|ref|an answer|a response|@ ?[\\w-]*)(?: to (?:pass|finish|complete|land|go green|be green))?|one (?:sec|second|moment|minute)|brb|stay tuned|bear with me|hang on|hold tight)",
  -- later
  "(?:(?:let's|we can|we could|we'll|we will|i'll|i will|will|can|could|i'd|to be|this can|this could|that can|it can|i can|i'm happy to|happy to|probably|maybe|perhaps|definitely|let me|best) )+(?:be (?:done|addressed|handled|fixed|tackled|revisited|improved|discussed|cleaned up|deferred|left|postponed|tracked|picked up)|do|address|handle|fix|tackle|revisit|defer|leave|postpone|discuss|improve|clean up|follow up|add|look at|get to|pick up|save)(?: (?:this|it|that|them|these|for|on|with|the rest|as))* " .. LATER,
  "(?:tracked|tracking|opened|filed|created|logged|raised|follow-?up|followed up|see|ticket|issue|continued|discussed|i opened|i've opened|i filed|i created)(?: (?:an?|the|this|that|it|as|in|at|by|with|for|to|issue|ticket|follow-?up|pr|separate|new|track|tracking|later|on))* ?(?:ref|url)(?: (?:to track(?: (?:this|it|that))?|for (?:this|that|it|the rest|later|tracking|the follow-?up|follow-?up)|to follow up|as a follow-?up|instead))*",
  "(?:related|relates|out of scope|out of scope (?:here|for (?:this (?:pr|change)|now))|not in scope|future work|follow-?up|for (?:a )?follow-?up|another day|not now|not today|for later|for another (?:pr|day))",
  -- withdrawn
  "(?:i |oh i |ah i |i'd |i had )?(?:misread|misunderstood|missed|overlooked|misinterpreted|was (?:wrong|mistaken|confused|looking at (?:the )?(?:wrong|an old) (?:file|commit|version|diff|branch))|stand corrected|spoke too soon|forgot|didn'?t see|hadn'?t seen|take (?:it|that) back|withdraw (?:it|this|that|my (?:comment|objection|concern|question))|retract (?:it|this|that|my comment)|see (?:it|that) now|get it now|found it|figured it out|just saw (?:it|that|this))(?: (?:the (?:diff|code|line|test|comment|change|check|part|context|second (?:commit|part))|it|this|that|your (?:comment|reply|last commit)|there|earlier|above|below|that part|that one|this one|it))*",
  -- coordination
  "(?:please |pls )?(?:do not|don'?t|dont|hold off(?: on)?|wait with|hold|pause|not ready to|no need to) ?(?:merge|merging|land|landing|ship|shipping)(?: (?:this|it|the pr|yet|please))*(?: (?:for now|now|until .*|before .*|till .*))?",
  "(?:please )?(?:do not|don'?t|no need to) review(?: (?:this|it|yet|now|for now))*",
  "(?:please )?hold off(?: (?:on (?:this|it|merging|the merge)|for now|until .*|a bit))*",
  "(?:on hold|parked|paused|draft|still wip|not ready(?: yet| for review)?)(?: (?:for now|until .*|by ref|on ref|by url|pending .*))?",
  "(?:this |it |pr )?(?:is |was |will be |has been |are )?(?:currently |now )?(?:blocked|waiting|depends|depending|based|stacked|superseded|replaced|obsoleted|continued|obsolete|duplicate|dupe|split out|related|similar|closes|relates|linked)(?: (?:on|by|of|to|in|into|from|for|with|top|favou?r|now))* (?:ref|url)(?: .*)?",
  "(?:i'm |i am |i'll be |i will be )?(?:closing|closed)(?: (?:this|it|the pr|pr|this pr|this one|the thread))?(?: (?:in favou?r of|as|for|since|because|due to|now|soon|for now|here|after|until|superseded by|stale|obsolete|inactive)(?: .*)?)?",
  "(?:needs?|requires?|depends on|after|pending|waits? for|blocks|unblocks|supersedes|see also|see|cf|refs?|related|relates to|related to|similar to|follow-?up (?:of|to|for)|part of|fixes|closes|resolves|docs|docs pr|context|link|backport of|duplicate of|prior art)(?: (?:to|on|is|at))* ?(?:ref|url)(?:(?: and| &|,)? (?:ref|url))*(?: (?:to (?:land|merge|be merged|go in)|first|landing|merged|being merged|in))*",
  "(?:cc|fyi|ping|attn|bump|tagging|paging|looping in|requesting|assigning)(?: (?:@[\\w/-]+|and|&|,|for (?:visibility|awareness|review|thoughts|input|another pair of eyes)|to|the|as reviewers?|team|reviewers?|maintainers?|folks|on this|owners?|fyi|review|from))*\\??",
  "(?:would you mind (?:taking (?:a|another) look|reviewing(?: this)?(?: again)?|having (?:a|another) look)|(?:could|can|may) (?:i|we) (?:please )?(?:get|have) (?:a|another|some) (?:review|look|eyes|feedback)s?)(?: (?:on|at) (?:this|it|this pr))?(?: please| again)*\\??",
  "(?:any chance (?:someone|somebody|anyone|you|we) (?:can|could)|any plans? (?:to|for)|can we get this|could we get this)(?: (?:to|please|this|a|get|be|have))* (?:review|reviewed|merge|merged|merging|look|land|landed|in|release|released|reviewing|looked at)(?: (?:this|it|at this|please|soon|again|the pr))*\\??",
  "(?:so |hey )?(?:what'?s|what is|is (?:there )?anything|anything|is something) (?:still )?(?:blocking|left|missing|holding up|needed|needed from me|left to do)(?: (?:this|this pr|it|the merge|here|to do|to merge|from me|from my side|for this|before merging|on this))*\\?",
  "(?:i |we )?(?:would|'d|i'd|we'd) (?:really |also )?love (?:this|it|to (?:see|have) this(?: (?:merged|land|landed|in|released|shipped|feature))?)(?: soon| too| as well| in)*",
  "(?:i |we )?(?:really |also )*need this (?:feature|too|badly|as well)(?: too| as well)?",
  "(?:i'm|i am|i was|i'll be|i will be|was|am) (?:on (?:vacation|holidays?|pto|leave|the road)|away|ooo|out of (?:the )?office|sick|busy|travell?ing|back)(?: .*)?",
  "(?:adding|assigned|assigning|added|tagged|requested|requesting)(?: (?:@[\\w/-]+|to|as|an?|the|and|you|reviewers?|for review|review|from|assignees?|labels?))+",
  "(?:moving|moved|converting|converted|putting|marking|marked|switching|turning|back)(?: (?:this|it|the pr|back|to|as|into|in|a))* (?:draft|wip|ready(?: for review)?)",
  "(?:please |pls )?approve(?: the)? (?:workflows?|ci|run)(?: runs?)?",
  "(?:ptal|pinging|bumping|bump|ping|up|nudge|(?:friendly|gentle|quick|kind|weekly|polite|little) (?:ping|reminder|bump|nudge)|reminder)(?: (?:this|on this(?: one)?|for (?:review|this|visibility)|please|when you (?:get|have) (?:a )?(?:chance|moment|minute|time)|@[\\w/-]*|folks|maintainers|reviewers))*\\??",
  "(?:is there |are there |do we have |do you have |got |just checking |just wondering |wondering if there is )*any (?:updates?|news|progress|eta|status|movement)(?: (?:on|about|for|regarding|when|by|from|yet|here)(?: .*)?)?\\??",
  "any (?:thoughts|feedback|word|opinions?)(?: (?:on this(?: pr| one)?|yet))?\\??",
  "(?:what'?s|what is|how'?s|how is) (?:the )?(?:status|eta|progress|timeline|latest|this going|it going|hold-?up)(?: (?:of|on|with|for|about|coming|here)(?: .*)?)?\\??",
  "(?:when (?:can we expect|is|will be|should we expect) (?:the |a )?(?:next |new )?(?:release|version)|is there (?:an |any )?(?:eta|timeline|update|news))(?: .*)?\\?",
  "(?:is|are) (?:this|it|we|you|the pr)(?: still| already| now)? (?:ready(?: (?:for|to) .*)?|being worked on|wip|planned|blocked|on your radar|good to (?:go|merge)|mergeable|mergable|abandoned|waiting on .*|going to be (?:merged|released).*|(?:still )?(?:working on|interested in) (?:this|it|finishing.*))\\?",
  "(?:when|what'?s the eta|which (?:release|version)|in which (?:release|version)|will this)(?: (?:will|can|could|is|are|do|does|would|should|might|be|get|make|it|this|that|we|you|the fix|the pr|in|going|to|expected|planned|likely))* (?:merged?|released?|land(?:ed)?|ship(?:ped)?|it into .*|in the next release)(?: .*)?\\?",
  "(?:can|could|shall|should|may|will|would) (?:we|this|it|you|someone|somebody|anyone|anybody|i|a maintainer|one of (?:you|the maintainers))(?: please| also| now| get| be| just| maybe| kindly)* (?:merge|merged|land|landed|ship|shipped|review|reviewed|approve|approved|re-?review|take (?:a|another) look(?: at (?:this|it))?|have (?:a|another) look(?: at (?:this|it))?|look at (?:this|it) again|trigger (?:ci|the (?:ci|build|workflow))|run (?:ci|the (?:ci|workflows?))|approve the workflows?(?: runs?)?|give (?:this|it) (?:a|another) (?:look|review))(?: (?:this|it|that|the pr|now|then|again|please|today|soon|when (?:you have|they have) (?:a )?(?:time|moment|chance|minute)|already|too|first))*\\??",
  "(?:please |pls |plz |kindly )?(?:review|re-?review|take (?:a|another) look(?: at (?:this|it|my (?:changes|pr)))?|have (?:a|another) look(?: at (?:this|it))?|ptal)(?: (?:again|this|it|my (?:pr|changes)|now|the (?:pr|latest changes|changes|new commits)|when(?:ever)? (?:you )?(?:can|have (?:a )?(?:time|moment|chance|minute)|get (?:a )?chance|you're free)|please|thanks|at your convenience))*",
  "(?:please )?let me know(?: (?:what you think|your thoughts|if (?:you have |there (?:are|is) )?(?:any )?(?:questions?|concerns?|issues?|thoughts)|if (?:this|that|it) (?:works?(?: for you)?|helps?|makes sense|is ok|sounds good)|if (?:i can help|you need (?:help|anything|more|any help|more info))(?: .*)?|how it goes|when (?:it's |it is |this is |you're |you are )?(?:ready|done|updated|finished)(?: .*)?|either way|please|thanks))*",
  "(?:what do (?:you|people|others|folks) think|wdyt|thoughts|opinions|(?:does (?:that|this) )?make sense|makes sense|sounds good|ok|okay|right|deal|merge|ship it|lgty|good to (?:go|merge)|ready|is that ok|all good|agreed|who can (?:merge|review) this)\\?",
  "(?:i )?hope (?:this|that|it|you|you're|you are|everyone|all)(?: .*)? (?:helps?|well|fine|ok|good|safe|weekend|better|makes sense|works)(?: .*)?",
  "(?:happy|merry|have an?|enjoy|enjoy your|wish you|good|great|best|kind|warm|see you|until|till)(?: (?:new year|friday|monday|holidays?|christmas|birthday|weekend|day|evening|night|morning|afternoon|trip|vacation|time off|regards|wishes|luck|rest of (?:your|the) (?:day|week|weekend)|nice|great|good|wonderful|to you|ahead|tomorrow|next week|then|your|the|everyone|all|reviewing|coding|hacking))+",
  "(?:hi|hello|hey|dear|hi there|hello there|hey there|good (?:morning|afternoon|evening|day)|greetings|howdy|welcome(?: (?:aboard|back|to .*))?|congrat(?:s|ulations)(?: (?:on|to) .*)?|cheers|regards|best regards|kind regards|best)(?: (?:there|@[\\w/-]+|everybody|maintainers|reviewers))*",
  -- status
  CI .. " " .. PASS,
  "(?:(?:ci|test|known|infra|random|another|just|a|network|runner) )+(?:flakes?|hiccup|glitch)",
  "(?:all )?green(?: (?:now|across the board|ci|everywhere))*",
  "(?:(?:(?:the|this|that|these|those|ci|test|build|remaining|only|lint|e2e|windows|macos|linux|failing|failed|red) )*(?:failures?|errors?|flakes?|fail|jobs?|tests?|checks?) )?(?:is|are|looks?|seems?|was|were|appears?)? ?(?:to be |like )?(?:(?:a|an|just|known|completely|totally|clearly|definitely) )*(?:unrelated|flaky(?: (?:ci|tests?|build))?|flakes?|pre-?existing|not related|infra(?:structure)? (?:issue|problem|flake)|known flake|spurious)(?: (?:to (?:this|this pr|the pr|your changes?|my changes?|these changes|this change|the change)|failures?|flake|tests?|test failure|ci failures?|issue|on main|job))*",
  "(?:this |that |it |everything |all )?(?:works|worked|that works)",
  "(?:this |that |it |everything |all )?(?:works?|working|worked|runs?|builds?|compiles?|passes)(?: (?:fine|great|well|perfectly|as expected|like a charm|as advertised|nicely|beautifully|flawlessly|now|for me|for us|here|locally|on my (?:machine|end|side|laptop)|as intended|correctly|on (?:linux|mac|macos|windows)))+",
  "(?:i )?(?:(?:also|just|re-?|have|'ve) )*(?:tested|tried|verified|checked|double[- ]?checked|confirmed|reviewed)(?: (?:working|it|this|that|the (?:changes?|fix|branch|pr|code|patch|diff)|all|everything|locally|manually|on|in|with|by|against|carefully|and|works?|fine|great|well|as expected|linux|mac|macos|windows|staging|prod|chrome|firefox|safari|android|ios|postgres|mysql|node|python|my (?:machine|laptop|end)|a|an|real|devices?|both|latest|main))*",
  "(?:reviewed|tested|acked|signed-off|co-authored|approved|suggested|reported|thanks)-(?:by|to) .*",
}

-- With a free end; a word of [VETO] anywhere makes it a request.
local FREE = {
  "(?:great|good|nice|excellent|amazing|awesome|fantastic|solid|super|wonderful|impressive|beautiful|lovely|neat|cool|clever|elegant|smart|clean) (?:use|" .. WORK .. ") (?:on|with|of|in|about|re|regarding|here|by|from|around|throughout|as|and|between|across) .*",
  "(?:this|that|it|everything|the (?:changes?|code|fix|pr|tests?|docs|approach))(?:'s| is| are| looks?| reads?| feels?) " .. VERY .. GOOD .. " .*",
  I_WILL .. " (?:also |just |try to |then )*" .. DO .. " .*",
  "(?:i )?(?:fully |totally |strongly )?(?:agree|agreed|concur|seconded|\\+1|ack)(?: (?:with|to|on|that)) (?:@[\\w-]+|what|everything|the above|both|you|all|him|her|them|the others|your)(?: .*)?",
  "(?:this|it|that) (?:was|got|has been|is now|will be) (?:merged|released|shipped|deployed|published|included|backported|landed|fixed|resolved|addressed|superseded|implemented)(?: (?:in|by|as part of|with|upstream|to) .*)?",
  "(?:so |very |really |super )*(?:happy|glad|excited|pleased|relieved|delighted|thrilled) (?:to (?:see|have|hear|get)|that|about|with|for) .*",
  "(?:i'm |i am |we're |we are )?(?:really |very much |so )*looking forward to .*",
  "(?:merged|landed|released|shipped|published|backported|cherry-picked|deployed|synced) (?:in|into|to|as|with|by|from|on) .*",
  "(?:so |very |really )*(?:happy|glad|excited|pleased) (?:this is|it's|this|we) .*",
  "(?:sorry|apologies)(?: .*)? (?:delay|delays|late .*|slow .*|vacation|busy|away|noise)",
  "(?:congrats|congratulations|welcome|kudos|props|hats off) (?:on|to|for) .*",
  "(?:great|nice|good|awesome|amazing|excellent|fantastic|brilliant|beautiful|lovely|wonderful|impressive|superb|terrific|(?:super |very |really |so )+(?:helpful|useful|nice|good|cool|clean|clear|readable|well written)) [a-z][a-z-]+(?: [a-z][a-z-]+)?",
  "(?:so |really |very |it's |it is )*(?:nice|great|awesome|good|amazing|cool|exciting|lovely|wonderful) to (?:see|hear|know|meet) .*",
  "(?:this|it|that|the fix|the change)(?:'ll| will| should)(?: now| also| then| all)* (?:be|go|ship|land) (?:(?:part of|in|into|with) (?:the )?(?:next|upcoming|following|coming|v?\\d[\\w.]*)(?: .*)?|(?:released|out|included|available|shipped|live|merged)(?: (?:in|with|this|next|the|on|as part of|tomorrow|today|soon|v?\\d)(?: .*)?)?)",
  "(?:i )?(?:also |just |have |'ve )*(?:tested|tried|checked|reviewed|went through|looked (?:at|through|over)) (?:this|it|that|the (?:changes?|code|pr|diff|branch|patch|fix))(?: (?:with|on|in|against|again|locally|myself|over|through|carefully)(?: [\\w'.-]+){0,4})?",
  "(?:feel|please feel) free to (?:merge|close|take over|ping|reach out|tag|ignore|ask).*",
  "(?:will|i'll|i will|i'll try to|will try to|hope to|hoping to|going to|trying to) (?:get (?:to|back to)|pick (?:this|it) up|come back to|have time|find time|return to).*",
}
-- With a free end too, but rarely the start of a request; a word of [TURN] makes it one.
local KIND = {
  "(?:" .. VERY .. ")?" .. THANKS .. THANKED .. " (?:for|to|and) .*",
  "(?:sorry|apologies) (?:for|about|it took|i was|that|i'm|if i) .*",
  "(?:i |we )?(?:really |absolutely |totally |just |also |very much |so much )*(?:love|loving|like|liked|enjoy|enjoyed|appreciate|appreciated) (?:the|how|what|that|your|seeing|this) .*",
  "(?:please )?let me know (?:if|how|whether|what|in case) .*",
}
local TURN = prfix.re [=[(?-u:\b)(?:please|pls|plz|but|however|though|although|except|unless|unfortunately|can you|could you|can we|could we|you can|you could|you want to|should|would|must|need|needs|have to|still|missing|instead|rather|prefer|old|previous|more|better|less|wrong|broken|breaks|fails?|failing|bug|typo|done with|ready|silently|blindly|swallow(?:s|ing)?|ignores|discards|loses|explodes?|hangs|crashes|panics|hard-?coded|yet another|add|rename|remove|fix it|fix this|fix that|update the|change the|why)(?-u:\b)|⚠]=]
local VETO = prfix.re [=[(?-u:\b)(?:please|pls|plz|can you|could you|can we|could we|should|shouldn't|would|must|need|needs|needed|have to|has to|ought|let's|lets|instead|but|however|though|although|except|unless|until|once|if|when|missing|misses|lacks?|fails?|failing|failed|broken|breaks?|wrong|wrongly|bugs?|buggy|not|no longer|cannot|can't|don't|doesn't|isn't|aren't|wasn't|won't|didn't|haven't|hasn't|wouldn't|couldn't|never|why|what if|too|more|than|old|previous|prefer|rather|less|worse|slow|slower|crash(?:es|ed)?|leak(?:s|ed)?|panic(?:s|ked)?|still|only|confusing|unclear|misleading|unused|redundant|unnecessary|duplicate[sd]?|twice|accident|accidentally|mistake|risky|dangerous|insecure|unsafe|incorrect|incomplete|inconsistent|concern(?:s|ed)?|worr(?:y|ied)|problem(?:s|atic)?|todo|silently|quietly|blindly|happily|swallow(?:s|ed|ing)?|ignor(?:es|ed|ing)|discards?|drops|loses?|skips|hides|explodes?|blows up|falls over|hangs|throws|errors?|exceptions?|null|undefined|hard-?coded|magic|nothing|nobody|yet another|place|candidate|opportunity|practice|moment|reason|time|chance|fit|habit|to (?:have|add|use|avoid|rename|remove|handle|make|also|keep|cover|test|document)|and (?:please |also |then |maybe )?(?:add|rename|remove|change|move|replace|use|revert|update|drop|delete|split|extract|handle|avoid|consider|fix|make|check|document)|causes?|makes|seems|is|are|was|were)(?-u:\b)|⚠]=]

-- Small talk in other languages ----------------------------------------------------------------------------------------
-- European: clauses made of nothing but social words. No bare infinitives, imperatives or nouns of things to change:
-- those make requests.

local WORDS = {}
WORDS.de = [[super|ja|jo|jap|ok|okay|na|ach|oh|sehr|wirklich|richtig|echt|ganz|so|alles|das|es|die|der|den|ist|sind|sieht|sehen|hier|jetzt|auch|von|mir|für|mich|mega|absolut|aus|der code|änderungen?|die änderung|passt|läuft|insgesamt|und|schon|tolle?[srn]?|gute?[srn]?|schöne?[srn]?|saubere?[srn]?|hervorragende?[srn]?|vielen|herzlichen|besten|tausend|danke|dank|dankeschön|dankesehr|perfekt|prima|klasse|spitze|spitzenmäßig|toll|gut|schön|sauber|fein|top|genial|stark|cool|wunderbar|ausgezeichnet|hervorragend|großartig|lgtm|einverstanden|genehmigt|freigegeben|approved|erledigt|behoben|gefixt|gemacht|gelungen|angepasst|geändert|korrigiert|umgesetzt|ergänzt|entfernt|umbenannt|aktualisiert|gemergt|gemerged|gelöst|arbeit|lösung|punkt|hinweis|einwand|fang|idee|job|sache|refactoring|aufgeräumt|gesehen|aufgepasst|stimmt|klar|verstanden|genau|korrekt|gerne?|weiter so|freut mich|glückwunsch|herzlichen glückwunsch|respekt|hut ab|kein problem|keine? (?:weiteren? )?(?:anmerkungen|einwände|fragen|kommentare)(?: mehr)?|bin dabei|mache? ich|schaue? ich mir an|(?:ich )?kümmere? mich(?: darum)?|wird (?:gemacht|erledigt|behoben)|kann (?:so )?(?:gemergt|gemerged) werden|kann (?:so )?rein|von meiner seite|meinerseits|lesbarer|übersichtlicher|viel besser|deutlich besser|gefällt mir|gefällt|nochmal|euch|dir|ihnen|allen|leute|zusammen|hallo|moin|servus|guten morgen|schönes wochenende|schönen (?:tag|abend|feierabend)|erstmal|soweit|wurden?|fund|recht|ich|habe?|haben|hab|wir|du|hast|ihr|bitteschön|gern geschehen|mein fehler|sorry|entschuldigung|hatte ich übersehen|übersehen|da hast du recht|hast recht|du hast recht|sehe ich (?:auch|genauso)(?: so)?|sinnvoll|macht sinn|ergibt sinn]]
WORDS.fr = [[super|oui|ok|okay|ah|oh|très|vraiment|tout|tous|c'est|ça|cela|est|me|semble|paraît|va|pour|moi|nous|bien|bon|bonne|beau|belle|excellente?|parfaite?|géniale?|nickel|top|bravo|impeccable|magnifique|propre|clair|chouette|merci|beaucoup|mille|fois|encore|infiniment|travail|boulot|idée|remarque|suggestion|point|ça a l'air|vu|joué|fait|corrigée?s?|résolue?s?|modifiée?s?|ajoutée?s?|supprimée?s?|renommée?s?|mis à jour|appliquée?s?|réglée?s?|d'accord|entendu|compris|noté|validée?|je valide|approuvée?|j'approuve|lgtm|rien à (?:redire|ajouter|signaler)|ce|cette|le code|le changement|prêt|à merger|on peut merger|peut être mergé|je regarde|je m'en occupe|je m'y mets|je fais ça|effectivement|exact|exactement|tout à fait|en effet|ça marche|ça roule|pas de (?:souci|soucis|problème)|bonne? (?:journée|soirée|week-end)|salut|bonjour|félicitations|chapeau|de mon côté|à tous|beaucoup plus|bien plus|plus lisible|mieux|et|simple|rapide|maintenant|tu as raison|vous avez raison|désolée?|au temps pour moi|autant pour moi|j'avais mal lu|de rien|avec plaisir|j'ai|je l'ai|on a|je|j'aime bien|j'adore|la solution|cette solution|élégante?]]
WORDS.es = [[super|sí|ok|okay|vale|ah|oh|muy|todo (?:bien|ok|correcto|perfecto|en orden|listo)|esto|está|es|se|ve|me|parece|me gusta|me gusta mucho|me encanta|buenísimo|buenísima|lo corregí|corregí|lo cambié|lo cambio|lo arreglé|actualicé|lo actualicé|agregado|por mi parte|por mí|de mi parte|bien|bueno|buena|buen|gran|excelente|perfecto|perfecta|genial|estupendo|fantástico|increíble|fenomenal|bonito|limpio|claro|clara|gracias|muchas|muchísimas|mil|de nuevo|a todos|trabajo|idea|observación|punto|captura|ojo|hecho|listo|lista|corregid[oa]s?|arreglad[oa]s?|actualizad[oa]s?|cambiad[oa]s?|eliminad[oa]s?|añadid[oa]s?|aplicad[oa]s?|resuelt[oa]s?|solucionad[oa]s?|subido|de acuerdo|entendido|anotado|aprobad[oa]|apruebo|lgtm|adelante|correcto|exacto|así es|tienes razón|tiene razón|tiene sentido|sin problemas?|no hay problema|sin (?:más )?(?:comentarios|objeciones)|nada que (?:añadir|objetar)|dale|listo para (?:merge|mergear|fusionar)|se puede mergear|lo reviso|lo miro|lo arreglo|me encargo|en ello|mucho mejor|más legible|y|el código|el cambio|los cambios|ahora|luce|queda|quedó|buen día|buenos días|buen finde|hola|felicidades|enhorabuena|bravo|crack|equipo|chicos|de nada|ya|lo he|he|ya lo|perdón|mi error|leí mal|había leído mal|por la|por el|gran trabajo]]
WORDS.pt = [[super|sim|ok|okay|ah|oh|muito|tudo (?:certo|bem|ok|perfeito|pronto)|isso aí|isso mesmo|está|tá|é|parece|pra mim|para mim|por mim|da minha parte|bem|bom|boa|ótim[oa]|excelente|perfeit[oa]|lindo|top|show|de bola|massa|legal|incrível|fantástico|sensacional|maravilha|limpo|obrigad[oa]|obrigadão|valeu|brigad[oa]|trabalho|ideia|sacada|observação|ponto|pegada|feito|corrigid[oa]s?|arrumad[oa]s?|ajustad[oa]s?|atualizad[oa]s?|alterad[oa]s?|removid[oa]s?|adicionad[oa]s?|aplicad[oa]s?|resolvid[oa]s?|pronto|concordo|de acordo|entendi|entendido|anotado|aprovad[oa]|aprovo|lgtm|certo|certinho|exato|exatamente|faz sentido|tem razão|você tem razão|verdade|sem problemas?|tranquilo|beleza|combinado|fechado|pode (?:mergear|fazer o merge|subir)|bora|manda ver|ficou|mais limpo|mais claro|mandou|parabéns|pelo trabalho|pela contribuição|sem (?:mais )?(?:comentários|objeções)|nada a (?:acrescentar|adicionar)|vou (?:verificar|olhar|corrigir|ajustar|fazer)|vou dar uma olhada|agora|muito melhor|bem melhor|mais legível|e|o código|a mudança|as mudanças|bom dia|boa tarde|bom fim de semana|olá|oi|pessoal|time|galera|de novo|demais|mesmo|de nada|já|corrigi|ajustei|arrumei|atualizei|removi|adicionei|alterei|fiz|observado|desculpa|foi mal|erro meu|li errado|gostei|adorei|eu|curti]]
WORDS.it = [[grazie|mille|molte|ancora|perfett[oa]|ottim[oa]|bell[oa]|brav[oa]|bravissim[oa]|eccellente|fantastico|lavoro|idea|osservazione|punto|fatto|corrett[oa]|sistemat[oa]|risolt[oa]|aggiornat[oa]|aggiunt[oa]|rimoss[oa]|d'accordo|capito|ok|okay|sì|va bene|tutto (?:bene|ok|a posto)|molto|mi sembra|mi piace|per me|è|approvat[oa]|approvo|lgtm|giusto|esatto|certo|ha senso|hai ragione|nessun problema|a posto|ci penso io|ci guardo|ora|ben|bene|buon|buona|ciao|complimenti|a tutti|prego|scusa|errore mio]]
WORDS.ru = [[большое|огромное|спасибо|спс|пасиб|благодарю|благодарен|отлично|отличная|отличный|отличное|супер|класс|классно|классная|круто|крутая|крутой|хорошо|хорошая|хороший|хорошее|прекрасно|прекрасная|здорово|замечательно|замечательная|идеально|великолепно|шикарно|красиво|чисто|годно|топ|огонь|норм|нормально|выглядит|выглядят|смотрится|вс[её]|это|теперь|так|уже|ок|окей|ага|да|угу|понял|поняла|понятно|ясно|принято|принял|согласен|согласна|согласны|поддерживаю|верно|точно|именно|логично|готово|сделано|сделал|сделала|исправил|исправила|исправили|исправлено|поправил|поправила|поправлено|обновил|обновила|обновлено|добавил|добавила|добавлено|удалил|удалила|удалено|переименовал|переименовала|пофиксил|пофиксила|пофикшено|учёл|учла|работа|идея|находка|замечание|мысль|решение|молодец|молодцы|одобряю|одобрено|апрув|апрувлю|лгтм|lgtm|можно (?:мержить|мерджить|вливать|мёржить)|вмержил|мержу|мержим|вливаем|без замечаний|замечаний нет|вопросов (?:больше )?нет|возражений нет|нет (?:замечаний|возражений|вопросов)|очень|просто|реально|(?:намного|гораздо|значительно|стало|так|теперь) (?:лучше|чище|понятнее|читаемее|проще)|за|ревью|помощь|быстрый|быстрое|подробное|твою|твой|вашу|ваш|работу|труд|старания|вклад|и|с моей стороны|не за что|привет|всем|добрый день|доброе утро|хороших выходных|поздравляю|посмотрю|гляну|сделаю|исправлю|поправлю|обновлю|сейчас|скоро|займусь|на мой взгляд|по мне|у меня|тесты проходят|ошибся|ошиблась|моя ошибка|был неправ|нравится|мне|лайк|плюсую]]
WORDS.more = [[bedankt|dank je(?: wel)?|dankjewel|mooi|goede?|gezien|ziet er (?:goed|mooi|prima) uit|klaar|gedaan|akkoord|netjes|lekker|prima|dzięki|dziękuję|świetnie|świetna|dobra|robota|wygląda|dobrze|gotowe|zrobione|poprawione|zgoda|super|ok|top|teşekkürler|teşekkür ederim|harika|güzel|tamam|eline sağlık|tack|snyggt|bra|jobbat|tak|flot|takk|kiitos|hienoa|díky|děkuji|paráda|дякую|чудово|готово|виправлено|xin cảm ơn|cảm ơn|tuyệt vời|terima kasih|mantap|bagus|شكرا|תודה|धन्यवाद|mulțumesc|köszönöm|szuper|ευχαριστώ|τέλεια]]

-- Thanks for something, in so many words.
local GRATITUDE = {
  [[(?:vielen |herzlichen |besten |tausend |super |ok |okay )*(?:danke?|dankeschön)(?: (?:dir|euch|ihnen|sehr|schön|nochmal))* (?:für|fürs)(?: (?:die|das|den|deine[nrs]?|eure[nrs]?|ihre[nrs]?|schnelle[nrs]?|gute[nrs]?|tolle[nrs]?|ausführliche[nrs]?))* (?:review|fix|hilfe|hinweise?|tipps?|feedback|arbeit|mühe|pr|beitrag|korrektur|rückmeldung|erklärung|anpassung(?:en)?|änderung(?:en)?|info|unterstützung|geduld|antwort|update|vorschlag|kommentare?|überprüfung)]],
  [[(?:super |ok |un |grand |mille )*merci(?: (?:beaucoup|bien|encore|à (?:toi|vous|tous)|infiniment))* (?:pour |d'|de )(?:(?:la|le|les|ta|ton|tes|votre|vos|cette|ce|rapide|excellente?|bonne|belle) |l')*(?:review|relecture|retours? rapides?|retours?|aide|corrections?|contribution|travail|pr|fix|explications?|précisions?|remarques?|réponse|revue|rapidité|patience|suggestions?|modifications?|mise à jour|infos?|temps)]],
  [[(?:muchas |muchísimas |mil |ok |perfecto )*gracias(?: (?:de nuevo|a todos|otra vez))* por(?: (?:la|el|los|las|tu|tus|su|sus|esta|este|rápida|excelente|buena|gran))* (?:revisión|review|ayuda|aporte|contribución|trabajo|pr|fix|arreglo|correcci(?:ón|ones)|explicación|aclaración|comentarios?|feedback|respuesta|sugerencias?|rapidez|paciencia|tiempo|cambios?|actualización|info|avisar|revisar(?:lo)?|arreglarlo|todo|esto|detectarlo)]],
  [[(?:muito |ok |perfeito )*(?:obrigad[oa]|valeu|brigad[oa])(?: (?:mesmo|de novo|a todos|demais))* (?:pela|pelo|pelas|pelos|por)(?: (?:sua|seu|suas|seus|essa|esse|rápida|ótima|boa))* (?:revisão|review|ajuda|contribuição|trabalho|pr|fix|correç(?:ão|ões)|explicação|esclarecimento|comentários?|feedback|resposta|sugest(?:ão|ões)|rapidez|paciência|tempo|mudanças?|atualização|info|avisar|revisar|isso|tudo|dica)]],
  [[grazie(?: mille| ancora)? (?:per|della|del|dei|delle)(?: (?:la|il|le|i|tua|tuo))* (?:l')?(?:review|revisione|aiuto|correzione|contributo|lavoro|pr|fix|spiegazione|commenti|feedback|risposta|suggerimento|pazienza|tempo|modifiche)]],
  [[(?:большое |огромное )*(?:спасибо|благодарю)(?: (?:большое|огромное|всем|вам|тебе))* за(?: (?:быстр\S+|подробн\S+|твою|твой|твои|вашу|ваш|ваши|такой|такую|отличн\S+))* (?:ревью|помощь|фикс|правки|правку|пр|исправлени[ея]|обратную связь|объяснение|пояснени[ея]|ответ|работу|труд|вклад|комментари[ий]|замечани[ея]|терпение|обновление|отзыв)]],
}

-- Chinese, Japanese, Korean: clauses made of whole social phrases.
local ZH_AY = "(?:这个|这段|这次|这里|这样|现在|代码|整体|总体|改动|修改|实现|重构|测试|文档|方案|思路|逻辑|命名|写法|改进|优化|已?确认|pr|的|我觉得|我认为|个人觉得|感觉|看起来|看着|看上去|写得|做得|改得|干得|搞得|都|也|已经|确实|真的|真|非常|十分|相当|特别|很|太|挺|蛮|超|更加?|清晰多|好多|比之前|比以前|下来)*"
local ZH = {
  ZH_AY .. "(?:不错|很好|好评|好|漂亮|优雅|清晰|清楚|干净|简洁|完美|优秀|出色|棒|赞|厉害|牛逼|牛|强|没问题|没有问题|没啥问题|没毛病|可以了|可以的|ok|okay|nice|good|lgtm|合理|有道理|易读|易懂|舒服|专业|nb|yyds)(?:多|极)?(?:了|的|啊|呀|呢|哦|吧|啦)*(?:改进|优化|主意|想法|思路|方案|贡献|工作|pr)?",
  "(?:非常|十分|真的|万分|太)?(?:感谢|谢谢|多谢|谢|辛苦|3q|thx|thanks)(?:了|啦|你|您|你们|大佬|老师|同学|大家|各位|的|这么|快|快速|及时|详细|耐心)*(?:的)?(?:帮助|帮忙|review|代码审查|审查|评审|贡献|反馈|建议|意见|指正|指出|提醒|解释|说明|回复|修复|修正|更新|改进|工作|支持|分享|时间|pr)?(?:了|啦|哈|啊|~)*",
  "(?:我|都|已经?|已全部|全部|刚刚?|按|照|按照|根据|建议|您?的|你的|意见|要求|刚才|重新)*(?:修复|修改|改正|改|修正|解决|更新|处理|完成|调整|添加|补充|补上|删除|移除|提交|推送|合并|合入|重命名|应用|采纳|回复|同步|rebase|变基|修|搞|弄|加)(?:好|完|掉|上|成功)?(?:了|啦|完毕|好了|完成|ok)(?: ?sha| ?ref)?",
  "已(?:经)?(?:在|于)?(?:sha|ref|url)?(?:中|里)?(?:全部)?(?:按(?:照)?(?:建议|要求|意见))?(?:修复|修改|改正|修正|改|解决|更新|处理|完成|调整|添加|补充|删除|移除|提交|推送|合并|合入|重命名|应用|采纳|回复|同步|fix|fixed|关闭|验证|测试|确认)(?:在|于)?(?: ?sha| ?ref| ?url)?",
  "(?:在|见|参见|详见|于)?(?: ?sha| ?ref| ?url)(?:中|里)?(?:已)?(?:修复|修改|解决|处理)?(?:了)?",
  "(?:好的?|嗯+|哦+|噢|哈+|是的?|对的?|没错|确实|同意合并|同意|我觉得可以|赞同|支持|认同|通过|批准|已阅|收到|明白|了解|知道|懂|懂了|搞定|完成|ok|okay|行|可以合并|可以合入|可以合了|合并吧|合吧|先合|先合了吧|先合并吧|说得对|说得是|你说得对|您说得对|说的对|学到|受教|恭喜|欢迎|加油|原来如此|抱歉|不好意思|打扰|我看错|看错|是我看错|我理解错|理解错|我的错|误会|忽略|忽略我的评论|当我没说|好主意|好想法|好点子|好建议|好问题|好眼力|好发现)(?:了|的|吧|啦|哈|啊|呀|呢|哦|一下)*",
  "(?:我|我这边|这边)?(?:暂时)?没有?(?:其他|其它|别的|更多|什么|啥|任何)?(?:的)?(?:问题|意见|疑问|异议|建议|评论)(?:了|啦)?",
  "(?:我)?(?:稍后|马上|一会儿?|晚点|今天|明天|回头|待会�?|这就|正在|之后|后续)(?:再|会|来|去|就)?(?:看|看看|看一下|处理|处理一下|修复|修改|改|更新|跟进|补|补上|提|弄|修|review)(?:下|一下)?(?:的|吧)?",
  "(?:周末|新年|节日|中秋|国庆|圣诞)?(?:愉快|快乐)|早上好|下午好|晚上好|大家好|你好|您好|好久不见|有劳了?",
  "(?:另外|顺便|总之|最后|大佬|老师|各位|大家)",
}
local JA_END = "(?:です|ですね|でした|でしたね|ですよ|だと思います|と思います|と思いました|ですかね|ね|よ|な|！)*"
local JA = {
  "(?:どうも|誠に|本当に|とても|大変|いつも|早速の?|素早い|丁寧な|迅速な|細かい|たくさんの|ご|お|レビュー|コメント|指摘|対応|修正|確認|返信|説明|アドバイス|フィードバック|提案|協力|教えて|いただき|頂き|くださり|くださって|していただき|して頂き|いただいて|プルリク|pr|コントリビュート|貢献|を|の|で|まで|わざわざ|ありがたい|たいへん)*(?:ありがとう|ありがとうございます|ありがとうございました|感謝|感謝します|感謝いたします|助かります|助かりました|ありがたいです|サンクス|あざす|あざます|thanks|thx)" .. JA_END,
  "(?:とても|すごく|かなり|めっちゃ|本当に|個人的に|私は|僕は|私も|僕も|こちら|これ|これで|それで|この|その|全体的に|コード|実装|変更|修正|方針|設計|命名|テスト|案|アイデア|考え|書き方|対応|pr|は|が|も|で|に|と|へ|特に|全体|から|見て|見ても|なって|なり|なっていて|だいぶ|すっきりして|シンプルで|以前より|前より)*(?:いい|良い|よい|いい感じ|良い感じ|よさそう|良さそう|よさげ|いいね|問題ない|問題なさそう|問題なし|問題ありません|問題ないです|大丈夫|大丈夫そう|素晴らしい|すばらしい|完璧|最高|さすが|すごい|綺麗|きれい|見やすい|見やすく|読みやすい|読みやすく|わかりやすい|わかりやすく|分かりやすい|分かりやすく|シンプル|すっきり|すっきりしました|素敵|ナイス|グッジョブ|見事|好き|嬉しい|うれしい|ok|okay|おk|おっけー|オッケー|オーケー|lgtm|nice|good|妥当|正しい|ばっちり|バッチリ)(?:なりました|なった|なりましたね|そう)?" .. JA_END,
  "(?:どうも|はい|ええ|うん|あ|ああ|そうですね|そうです|なるほど|確かに|たしかに|その通り|おっしゃる通り|仰る通り|同意|同意します|賛成|了解|了解しました|了解いたしました|りょうかい|承知|承知しました|承知いたしました|かしこまりました|わかりました|分かりました|理解しました|納得|納得しました|承認|承認します|承認しました|approve|approveします|approveしました|マージ|マージします|マージしました|マージしてok|マージして大丈夫|マージ可能|お疲れ様|お疲れさま|おつかれさま|お疲れ様です|お疲れさまです|お疲れ様でした|よろしく|よろしくお願いします|よろしくお願いいたします|お願いします|(?:再度?)?(?:ご)?(?:確認|レビュー|再レビュー|再確認)(?:を)?(?:お願いします|お願いいたします|いただけますか|お願いできますか)|おめでとう|おめでとうございます|ようこそ|失礼しました|すみません|すいません|申し訳ありません|ごめんなさい|勘違い|勘違いしていました|見落とし|見落としていました|見落としてました|読み間違えました|気にしないでください|無視してください|おはようございます|こんにちは|私の勘違い|こちらの勘違い|特に問題ありません|特に問題ない|特に問題なさそう|特にありません|特にコメントありません|特にコメントはありません|他に指摘はありません|指摘事項なし|異論なし|異論ありません|質問ありません|特になし)" .. JA_END,
  "(?:すべて|全て|全部|ご指摘の|ご指摘|指摘|指摘事項|いただいた|頂いた|コメント|上記|こちら|これ|それ|この件|その件|次の|最新の|別の|タイポ|typo|テスト|名前|変数名|関数名|ドキュメント|コンフリクト|を|は|も|の|に|で|へ|箇所|部分|点|通り|どおり|とおり|提案|済み|コミット|pr|sha|ref|url|にて|一旦|ひとまず|先ほど| )*(?:修正しました|修正済み|修正済|修正いたしました|修正します|修正しておきます|対応しました|対応済み|対応済|対応いたしました|対応します|直しました|直しておきます|直します|変更しました|追加しました|削除しました|更新しました|反映しました|反映済み|完了|完了しました|解消しました|解決しました|リネームしました|リベースしました|rebaseしました|pushしました|プッシュしました|取り込みました|見ました|拝見しました|確認しました|確認いたしました|確認済み|確認します|見ます|みます|見てみます|見ておきます|後で見ます|あとで見ます|検討します|調べます|調べてみます|起票しました|issueにしました|作成しました|テスト済み|動作確認しました|動作確認済み)" .. JA_END,
}
local KO = {
  "(?:정말|매우|너무|아주|다들|항상|빠른|꼼꼼한|자세한|좋은|친절한|리뷰|피드백|의견|답변|수정|확인|기여|설명|도움|작업|제안|지적|해주셔서|주셔서|해 주셔서|알려주셔서| )*(?:감사합니다|감사해요|감사드립니다|감사|고맙습니다|고마워요|땡큐|수고하셨습니다|수고하셨어요|수고 많으셨습니다|고생하셨습니다|고생하셨어요|고생 많으셨습니다)(?:[.!~]|ㅎ+|ㅋ+| )*",
  "(?:정말|매우|너무|아주|훨씬|이제|코드가|코드|변경이|변경|이|이거|그거|전체적으로|아이디어|생각|지적|방법|구현|제가 보기엔|저는|저도| )*(?:좋아요|좋습니다|좋네요|좋은 것 같아요|좋은 것 같습니다|좋은 생각이네요|좋은 생각입니다|좋아 보입니다|좋아 보여요|굿|굳|최고|최고예요|최고입니다|훌륭합니다|훌륭해요|훌륭하네요|멋져요|멋집니다|멋지네요|완벽합니다|완벽해요|완벽하네요|깔끔하네요|깔끔합니다|깔끔해요|괜찮습니다|괜찮아요|괜찮네요|문제없습니다|문제 없습니다|문제 없어 보입니다|문제없어 보입니다|맞습니다|맞아요|맞네요|그렇네요|동의합니다|동의해요|찬성합니다|lgtm|lgtm입니다|이상 없습니다|이견 없습니다)(?:ㅎ+|ㅋ+| )*",
  "(?:네|넵|넹|예|아|오|하하|ㅎ+|ㅋ+|ㅠ+|알겠습니다|이해했습니다|확인했습니다|확인했어요|확인|확인 완료|승인합니다|승인|승인했습니다|머지합니다|머지할게요|머지하겠습니다|머지해도 될 것 같습니다|머지해도 될 것 같아요|완료|완료했습니다|수정 완료|반영 완료|(?:모두|전부|지적하신 부분|말씀하신 부분|말씀하신 대로|제안하신 대로|의견|코멘트|리뷰|피드백| )*(?:수정했습니다|수정했어요|수정하겠습니다|수정할게요|반영했습니다|반영했어요|반영하겠습니다|처리했습니다|처리하겠습니다|고쳤습니다|고칠게요|업데이트했습니다|추가했습니다|삭제했습니다|변경했습니다)|sha|ref|url|에서|죄송합니다|제 착각이었습니다|제가 잘못 봤네요|무시해 주세요|안녕하세요| )+",
}

local function bag(words) return "(?:(?:" .. words .. "|(?:(?:in|im|dans|en|em|nel|в|commit) )*(?:sha|ref|url))(?: |$))+" end
local foreign = {}
for _, name in ipairs { "de", "fr", "es", "pt", "it", "ru", "more" } do foreign[#foreign + 1] = bag(WORDS[name]) end
foreign[#foreign + 1] = "可以(?:了|的|啦|吧|哦)?"
for _, list in ipairs { GRATITUDE, ZH, JA, KO } do
  -- Several in one clause: these languages do with few commas.
  foreign[#foreign + 1] = list == GRATITUDE and any(list) or "(?:" .. any(list) .. " ?)+"
end

-- Judging --------------------------------------------------------------------------------------------------------------

-- Praise and thanks in words of one's own: nothing but harmless words, and one of praise among them.
local HARMLESS = "a|an|the|this|that|these|those|it|it's|its|is|are|was|were|be|been|being|i|i'm|i've|me|my|we|we're|we've|our|us|you|your|you're|you've|they|them|their|he|she|his|her|all|everyone|everybody|everything|both|so|very|really|super|much|such|now|here|there|again|just|quite|pretty|already|also|with|for|of|on|in|at|to|from|by|and|as|like|love|loved|liked|how|what|who|one|first|last|new|many|lots|lot|ton|tons|bunch|bit|big|huge|hard|quick|fast|prompt|speedy|detailed|careful|kind|valuable|genuinely|truly|totally|absolutely|definitely|certainly|incredibly|extremely|particularly|especially|always|ever|finally|overall|done|did|doing|made|making|makes|make|see|seeing|seen|read|reading|hear|turned|turns|came|come|out|up|together|today|morning|day|week|month|year|weekend|side|end|team|folks|guys|friend|friends|community|maintainers|reviewers|contributors?|pr|prs|work|works|worked|working|job|stuff|change|changes|fix|fixes|refactor|refactoring|cleanup|approach|solution|idea|ideas|point|catch|find|spot|reviews?|feedback|comments|suggestions?|explanation|clarification|help|helps|helped|effort|efforts|time|patience|contributions?|contributing|updates?|improvements?|feature|features|implementation|design|description|commit|commits|documentation|docs|release|project|codebase|looks|look|looking|looked|feels|feel|reads|sounds|seems|goes|going|gets|getting|got|way|thing|things|piece|bravo|well|wait|can't|cannot|waiting|it'll|here's|there's|that's|what's|who's|let's go"
local WORDS_OF_PRAISE = "great|good|nice|awesome|amazing|excellent|perfect|perfectly|fantastic|brilliant|beautiful|beautifully|lovely|neat|cool|clever|elegant|solid|superb|wonderful|impressive|impressed|sweet|stellar|terrific|outstanding|fabulous|gorgeous|incredible|magnificent|phenomenal|delightful|delighted|slick|happy|glad|excited|congrats|congratulations|welcome|best|helpful|lgtm|legend|legendary|rock|rocks|yay|woohoo|wow|exciting|fun|clean|tidy|smart|thorough|crisp|thanks?|thank|thx|thankful|grateful|kudos|props|appreciated?|appreciates"
local PRAISE = prfix.re("(?-u:\\b)(?:" .. WORDS_OF_PRAISE .. ")(?-u:\\b)")
local OWN_WORDS = prfix.re("^(?:(?:" .. HARMLESS .. "|" .. WORDS_OF_PRAISE .. ")(?: |$))+$")

local PHRASE = prfix.re("^" .. any(TALK) .. TAIL .. REF .. "$")
local FREELY = prfix.re("^" .. any(FREE) .. "$")
local KINDLY = prfix.re("^" .. any(KIND) .. "$")
local FOREIGN = prfix.re("^" .. any(foreign) .. "$")
local POINTER = prfix.re("^" .. NOTES .. "$")
local NEUTRAL = prfix.re [=[^(?:sha|ref|url|and|or|also|see|\d+)(?:[ ,]+(?:sha|ref|url|and))*$]=]

-- A report of work may name what was wrong before.
local REPORT = prfix.re("^(?:i've |i have |i also |we've |we have |i |we |just |already |also |now )*" .. CHANGED .. " .*$")
local DOUBT = prfix.re [=[(?-u:\b)(?:please|pls|plz|can you|could you|can we|could we|should|shouldn't|would|must|need|needs|needed|have to|has to|let's|lets|but|however|though|although|except|unless|fails?|failing|failed|broken|breaks?|wrong|wrongly|no longer|cannot|can't|don't|doesn't|isn't|aren't|wasn't|won't|didn't|haven't|hasn't|wouldn't|couldn't|never|why|too|rather|worse|crash(?:es|ed)?|leaks?|panics?|still|confusing|unclear|misleading|twice|accident|accidentally|mistake|incorrect|incomplete|concern(?:s|ed)?|todo|causes?|seems|is|are|was|were|can|may|might|will|has|ignores?|loses?|does|value|values)(?-u:\b)|⚠]=]

local function talk(clause)
  if PHRASE:test(clause) or FOREIGN:test(clause) or POINTER:test(clause) then return true end
  -- Chinese, Japanese and Korean are written with and without spaces around Latin words.
  if clause:find("[\227-\237]") and FOREIGN:test((clause:gsub(" ", ""))) then return true end
  if clause:sub(-1) == "?" then return false end
  if REPORT:test(clause) then return not DOUBT:test(clause) end
  if KINDLY:test(clause) and not TURN:test(clause) then return true end
  return FREELY:test(clause) and not VETO:test(clause) or OWN_WORDS:test(clause) and PRAISE:test(clause)
end

-- The clause without its first filler, or nil.
local function without_filler(clause)
  local said = OPENING:match(clause)
  if said then return said end
  local word, rest = clause:match("^([%w']+)%s+(.*)$")
  if word and FILLERS[word] then return rest end
end

-- What was wrong; small talk only beside a report that it was put right.
local FAULT = prfix.re [=[^(?:(?:oh|ah|oops|indeed|yes|sorry|that|this|it|was|is|a|an|my|just|silly|stupid|another|clearly) )*(?:leftover|left over|typo|copy[- /]?paste(?: (?:error|mistake))?|oversight|mistake|thinko|brain ?fart|bug|merge (?:error|mistake)|artifact)(?: from (?:debugging|testing|the (?:rebase|merge|refactoring|previous version)|a previous version))?$]=]
local REMEDY = prfix.re [=[^(?:.{0,30} )?(?:done|fixed|removed|corrected|updated|changed|renamed|reverted|addressed|deleted|resolved|cleaned up|will fix|i'll fix(?: it| this| that)?)(?: .{0,30})?$]=]

local function small_talk(clause)
  local rest = clause
  for _ = 1, 8 do
    if talk(rest) then return true end
    local shorter = without_filler(rest)
    if not shorter then break end
    rest = shorter
  end
  return FILLERS[rest] ~= nil
end

-- "talk", "neutral", "fault", or nil when the clause may ask for something.
local function judge(clause)
  if #clause > 200 then return nil end
  if NEUTRAL:test(clause) then return "neutral" end
  if small_talk(clause) then return "talk" end
  if FAULT:test(clause) then return "fault" end
  -- "I tested it and everything works": both halves have to be small talk.
  if not clause:find(" and ", 1, true) then return nil end
  for from, to in clause:gmatch("() and ()") do
    if small_talk(clause:sub(1, from - 1)) and small_talk(clause:sub(to)) then return "talk" end
  end
end

prfix.noise {
  name = "commands", why = "a command to a robot", order = 300,
  drop = function(c)
    if #c.body > 1000 or c.body:find("```", 1, true) then return end
    local text = prose(c.body)
    local rest, count = without_commands(text)
    if count > 0 and not rest:find("%S") then return "a command: " .. text:match("^%s*([^\n]*)"):sub(1, 40) end
  end,
}

prfix.noise {
  name = "social", why = "thanks, approval or small talk: nothing is asked for", order = 310,
  drop = function(c)
    local body = c.body
    if #body > 1500 or body:find("```", 1, true) or body:find("~~~", 1, true) then return end
    local list = clauses(without_commands(prose(body)))
    if #list > 16 then return end
    local said, fault, remedy = false, false, false
    for _, clause in ipairs(list) do
      local verdict = judge(clause)
      if not verdict then return end
      said = said or verdict == "talk"
      fault = fault or verdict == "fault"
      remedy = remedy or verdict == "talk" and REMEDY:test(clause)
    end
    if fault and not remedy then return end
    if said then return true end
    if #list > 0 and c.kind == "comment" and not table.concat(list, " "):find("url", 1, true) then return "only a reference" end
    -- Only emoji. A bare link or picture may be an argument.
    if #list == 0 and not body:find("![", 1, true) and not body:find("<img", 1, true) then return "only emoji" end
  end,
}
