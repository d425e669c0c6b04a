prfix.api = 1
-- How commits, replies and summaries read. `render` gets plain data and returns a text, or nil for no text.

local function one_line(text, max)
  text = (text or ""):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  if #text <= max then return text end
  local cut = text:sub(1, max)
  -- Not in the middle of a character.
  while #cut > 0 and (text:byte(#cut + 1) or 0) >= 0x80 and (text:byte(#cut + 1) or 0) < 0xC0 do cut = cut:sub(1, -2) end
  return cut .. "…"
end
local function short(sha) return (sha or ""):sub(1, 7) end
local function given(text) return type(text) == "string" and text:find("%S") ~= nil end

-- Text of others names nobody and closes nothing: no mention, no reference to an issue.
local function inert(text) return (text:gsub("@(%w)", "%1"):gsub("#(%d)", "%1")) end
local function unmentioned(text) return (text:gsub("@(%w)", "@\u{200b}%1")) end

-- x: { number, items = { { id, path, line, request, detail } } }
prfix.text {
  name = "commit", why = "one commit a pass, the items in its body",
  render = function(x)
    local lines = { ("fix(pr-%s): address review feedback"):format(x.number) }
    for i, item in ipairs(x.items or {}) do
      if i == 1 then lines[2] = "" end
      local place = item.path and (item.path .. (item.line and (":" .. item.line) or "") .. ": ") or ""
      local what = given(item.detail) and item.detail or item.request
      lines[#lines + 1] = ("%s. %s"):format(item.id, one_line(inert(place .. (what or "")), 96))
    end
    return table.concat(lines, "\n")
  end,
}

-- Short openings in the language of the comment.
local OPENINGS = {
  en = { fixed = "Fixed in %s", already = "Already addressed", kept = "Not changed", decide = "Needs a decision" },
  de = { fixed = "Behoben in %s", already = "Bereits erledigt", kept = "Nicht geändert", decide = "Braucht eine Entscheidung" },
  fr = { fixed = "Corrigé dans %s", already = "Déjà traité", kept = "Non modifié", decide = "Décision nécessaire" },
  es = { fixed = "Corregido en %s", already = "Ya resuelto", kept = "Sin cambios", decide = "Requiere una decisión" },
  pt = { fixed = "Corrigido em %s", already = "Já resolvido", kept = "Não alterado", decide = "Precisa de uma decisão" },
  it = { fixed = "Corretto in %s", already = "Già risolto", kept = "Non modificato", decide = "Serve una decisione" },
  ru = { fixed = "Исправлено в %s", already = "Уже исправлено", kept = "Не изменено", decide = "Нужно решение" },
  zh = { fixed = "已在 %s 中修复", already = "已处理", kept = "未修改", decide = "需要决定" },
  ja = { fixed = "%s で修正しました", already = "対応済みです", kept = "変更していません", decide = "判断が必要です" },
  ko = { fixed = "%s에서 수정했습니다", already = "이미 반영되었습니다", kept = "변경하지 않았습니다", decide = "결정이 필요합니다" },
}

local function count(text, pattern) local n = 0 for _ in text:gmatch(pattern) do n = n + 1 end return n end
local COMMON = {
  de = { "und", "nicht", "bitte", "ist", "das", "der", "die", "hier", "wir", "sollte", "noch", "eine", "auch", "mit", "wenn" },
  fr = { "le", "la", "les", "est", "pas", "ici", "une", "des", "il", "manque", "et", "pour", "dans", "que", "vous" },
  es = { "el", "los", "las", "por", "favor", "esto", "aquí", "una", "pero", "falta", "para", "este", "esta", "podrías", "que" },
  pt = { "isso", "não", "por", "favor", "aqui", "uma", "você", "mas", "para", "está", "falta", "quebra", "se", "com", "um" },
  it = { "il", "per", "favore", "qui", "manca", "una", "questo", "non", "che", "della", "gli", "sono", "anche", "con", "di" },
}

-- A guess from scripts and common words; English unless another language is plain.
local function language(text)
  if not given(text) then return "en" end
  text = text:gsub("```.-```", " "):gsub("`[^`]*`", " ")
  if text:find("\227[\129-\131]") then return "ja" end -- kana
  if count(text, "[\234-\237][\128-\191][\128-\191]") > 1 then return "ko" end
  if count(text, "[\228-\233][\128-\191][\128-\191]") > 1 then return "zh" end
  if count(text, "[\208\209][\128-\191]") > 3 then return "ru" end
  local seen, words = {}, 0
  for word in text:lower():gmatch("[%a\128-\255]+") do seen[word] = true; words = words + 1 end
  local best, score = "en", 0
  for name, list in pairs(COMMON) do
    local n = 0
    for _, word in ipairs(list) do if seen[word] then n = n + 1 end end
    if n > score or (n == score and n > 0 and name < best) then best, score = name, n end
  end
  return score >= 2 and score * 6 >= words and best or "en"
end

local function opening(x)
  local words = OPENINGS[x.language or language(x.request)] or OPENINGS.en
  if x.status == "fixed" then return words.fixed:format(short(x.sha)) end
  if x.verdict == "already-addressed" then return words.already end
  if x.status == "needs-human" or x.status == "unaddressed" then return words.decide end
  if x.status == "rerun" then return nil end
  return words.kept
end

-- x: { status, verdict, sha, detail, reasoning, proof, request, language }
prfix.text {
  name = "reply", why = "one short line and one line of evidence, in the language of the comment",
  render = function(x)
    local head = opening(x)
    if not head then return nil end
    local why = given(x.detail) and x.detail or given(x.reasoning) and x.reasoning or nil
    local line = why and (head .. ": " .. one_line(unmentioned(why), 600)) or (head .. ".")
    if given(x.proof) then line = line .. "\n\n" .. one_line(unmentioned(x.proof), 600) end
    return line
  end,
}

local WORDS = {
  fixed = "fixed", ["triaged-out"] = "not changed", ["out-of-scope"] = "out of scope", declined = "not changed",
  ["needs-human"] = "needs a decision", rerun = "run again", unaddressed = "open",
}

-- x: { sha, head, items = { { id, kind, source, request, status, verdict, detail, proof } }, gates = { { command, status } } }
prfix.text {
  name = "summary", why = "one comment a push, for feedback that has no thread",
  render = function(x)
    if #(x.items or {}) == 0 then return nil end
    local lines = { given(x.sha) and ("Pushed %s."):format(short(x.sha)) or "Nothing was changed.", "" }
    for _, item in ipairs(x.items) do
      local what = item.source and item.source:find("^https?://") and ("[%s](%s)"):format(item.kind or "item", item.source)
        or ("`%s`"):format((item.source or item.kind or "item"):gsub("`", "'"))
      local status = item.verdict == "already-addressed" and "already addressed" or WORDS[item.status] or item.status
      local why = given(item.detail) and item.detail or item.request
      lines[#lines + 1] = ("- %s: %s%s"):format(what, status, given(why) and (": " .. one_line(unmentioned(why), 300)) or "")
      if given(item.proof) then lines[#lines] = lines[#lines] .. " " .. one_line(unmentioned(item.proof), 300) end
    end
    local gates = {}
    for _, gate in ipairs(x.gates or {}) do
      gates[#gates + 1] = ("`%s` %s"):format(gate.command:gsub("`", "'"), gate.status)
    end
    if #gates > 0 then
      lines[#lines + 1] = ""
      lines[#lines + 1] = "Checked with " .. table.concat(gates, ", ") .. "."
    end
    return table.concat(lines, "\n")
  end,
}

prfix.prompt {
  name = "minimal", why = "small diffs are reviewed faster", roles = { "fix" },
  add = function()
    return "Keep the change as small as the item allows. Leave formatting, comments and names alone where the item "
      .. "does not ask for a change. Never delete, skip or loosen a test to make a check pass."
  end,
}
