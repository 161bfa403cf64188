-- filter.lua - what a handout needs to be a page of its own: pandoc -M source=PATH_IN_THE_KIT -L filter.lua
-- Pictures go into the page, links lead to pages, code is known as CUDA, tables scroll in a box of their own.

local source = ""

local function directory(path) return path:match("^(.*/)[^/]*$") or "" end

-- "handouts/../common/x.md" -> "common/x.md"
local function normal(path)
    local parts = {}
    for part in path:gmatch("[^/]+") do
        if part == ".." then table.remove(parts) elseif part ~= "." then table.insert(parts, part) end
    end
    return table.concat(parts, "/")
end

-- As page_name() of pages.sh has it.
local function page_name(path)
    if path == "README.md" then return "index.html" end
    return path:gsub("^handouts/", ""):gsub("/", "-"):gsub("%.md$", ".html")
end

local function is_elsewhere(target) return target:match("^%a+:") or target:match("^#") end

-- Other files of the kit lie beside the pages, under files/.
local function link(element)
    if is_elsewhere(element.target) then return nil end
    local path, anchor = element.target:match("^([^#]*)(#?.*)$")
    path = normal(directory(source) .. path)
    element.target = (path:match("%.md$") and page_name(path) or "files/" .. path) .. anchor
    return element
end

local function percent(character) return string.format("%%%02X", character:byte()) end

-- As an image of its own, so that the style of one picture never meets another's.
local function picture_of(path, words)
    local file = io.open(path, "rb") or error(source .. " shows " .. path .. ", which is not there", 0)
    local text = file:read("a")
    file:close()
    local picture = pandoc.Image(words, "data:image/svg+xml," .. text:gsub("[^%w%-_.~=:/;,!?@+$()*]", percent))
    picture.attributes.width, picture.attributes.height = text:match('width="(%d+)" height="(%d+)"')
    return picture
end

local shown = {} -- by path: the drawings that the text itself shows
local function image(element)
    if is_elsewhere(element.src) then return nil end
    local path = normal(directory(source) .. element.src)
    shown[path] = true
    return picture_of(path, element.caption)
end

local function box(picture) return pandoc.Div({ pandoc.Plain({ picture }) }, pandoc.Attr("", { "picture" })) end

-- A paragraph that is a picture and nothing else gets a box; where the text only links to a drawing, the page shows it below, once.
local function paragraph(element)
    if #element.content == 1 and element.content[1].t == "Image" then return box(element.content[1]) end
    local blocks = { element }
    element:walk({ Link = function(found)
        local path = found.target:match("^files/(.*%.svg)$")
        if path and not shown[path] then
            shown[path] = true
            table.insert(blocks, box(picture_of(path, found.content)))
        end
    end })
    return blocks
end

local code_ends = "[;{}\\]%s*$"
local function is_code_line(text)
    text = text:gsub("%s*//.*$", ""):gsub("%s*/%*.*$", "")
    return text:match("^%s*$") or text:match(code_ends) or text:match("^%s*#%s*%a") or text:match("^%s*%*") or
        text:match("^%s*__global__") or text:match("^%s*template")
end

-- Most blocks do not name their language: reports and commands look like no C.
local function looks_like_code(text)
    local lines, code, ends = 0, 0, 0
    for text_line in (text .. "\n"):gmatch("([^\n]*)\n") do
        if text_line:match("%S") then
            lines = lines + 1
            if is_code_line(text_line) then code = code + 1 end
            if text_line:match(";") then ends = ends + 1 end
        end
    end
    return ends > 0 and code * 3 >= lines * 2
end

-- A word or two of code stay on one line, also where a phone's is short.
local function code(element)
    if #element.text <= 28 then element.classes = { "short" } end
    return element
end

local languages = { c = "cuda", cu = "cuda", cuda = "cuda", cpp = "cuda" }
local function code_block(element)
    local named = element.classes[1]
    if named == "math" then
        return pandoc.Para({ pandoc.Math("DisplayMath", element.text) })
    elseif named then
        element.classes = { languages[named] or named }
    elseif looks_like_code(element.text) then
        element.classes = { "cuda" }
    end
    return element
end

-- GitHub's way to write a formula in a line: $`a^2`$, of which pandoc makes code between two dollars.
local function inlines(list)
    for i = 2, #list - 1 do
        local before, formula, behind = list[i - 1], list[i], list[i + 1]
        if formula.t == "Code" and before.t == "Str" and behind.t == "Str" and before.text:match("%$$") and behind.text:match("^%$") then
            before.text, behind.text = before.text:gsub("%$$", ""), behind.text:gsub("^%$", "")
            list[i] = pandoc.Math("InlineMath", formula.text)
        end
    end
    return list
end

-- Wide things can be scrolled by keys as well, hence the tabindex.
local function in_box(element)
    return { pandoc.RawBlock("html", '<div class="scroll" tabindex="0" role="region" aria-label="table">'), element,
             pandoc.RawBlock("html", "</div>") }
end

-- The first heading is the page's; the list of its sections begins below it.
local function take_title(document)
    local first = document.blocks[1]
    if first and first.t == "Header" and first.level == 1 then
        document.meta.title = pandoc.MetaInlines(first.content)
        document.meta["title-id"] = first.identifier
        document.blocks:remove(1)
    end
    return document
end

return {
    { Meta = function(meta) source = pandoc.utils.stringify(meta.source) end },
    { Inlines = inlines },
    { Image = image, Link = link, Code = code, CodeBlock = code_block, Table = in_box },
    { Para = paragraph },
    { Pandoc = take_title },
}
