/** A piece of a line. */
export type Inline = { text: string; style?: 'bold' | 'code'; href?: string }
export type Block =
  | { kind: 'heading'; level: 1 | 2 | 3; line: Inline[] }
  | { kind: 'paragraph'; line: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; text: string }

/**
 * What the guide is written in: headings, paragraphs, lists of one level, tables, blocks of code; bold, code and links
 * within a line. Nothing becomes HTML, so no page of the guide can do more than say something.
 */
export function parseMarkdown(markdown: string): Block[] {
  const lines = markdown.split(/\r?\n/)
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    const [block, next] = blockAt(lines, at)
    if (block) blocks.push(block)
    at = next
  }
  return blocks
}

const LIST_ITEM = /^(?:[-*]|(\d+)\.) +(.*)$/
const TABLE_ROW = /^\|(.*)\|\s*$/

function blockAt(lines: readonly string[], at: number): [Block | null, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [null, at + 1]
  const heading = /^(#{1,3}) +(.*)$/.exec(line)
  if (heading)
    return [
      { kind: 'heading', level: heading[1]!.length as 1 | 2 | 3, line: inline(heading[2]!) },
      at + 1,
    ]
  if (line.startsWith('```')) return codeAt(lines, at)
  if (TABLE_ROW.test(line)) return tableAt(lines, at)
  return LIST_ITEM.test(line) ? listAt(lines, at) : paragraphAt(lines, at)
}

function codeAt(lines: readonly string[], at: number): [Block, number] {
  const length = lines.slice(at + 1).findIndex((line) => line.startsWith('```'))
  const end = length < 0 ? lines.length : at + 1 + length
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1]
}

function tableAt(lines: readonly string[], at: number): [Block, number] {
  const rows = takeWhile(lines, at, (line) => TABLE_ROW.test(line))
  const cells = rows
    .filter((row) => !/^[|\s:-]+$/.test(row))
    .map((row) =>
      TABLE_ROW.exec(row)![1]!
        .split('|')
        .map((cell) => inline(cell.trim())),
    )
  return [{ kind: 'table', head: cells[0] ?? [], rows: cells.slice(1) }, at + rows.length]
}

/** A line that is indented goes on with the item above it. */
function listAt(lines: readonly string[], at: number): [Block, number] {
  const ordered = /^\d/.test(lines[at]!)
  const taken = takeWhile(lines, at, (line) => LIST_ITEM.test(line) || /^ {2,}\S/.test(line))
  const items: string[] = []
  for (const line of taken) {
    const item = LIST_ITEM.exec(line)
    if (item) items.push(item[2]!)
    else items.push(`${items.pop()} ${line.trim()}`)
  }
  return [{ kind: 'list', ordered, items: items.map(inline) }, at + taken.length]
}

function paragraphAt(lines: readonly string[], at: number): [Block, number] {
  const taken = takeWhile(
    lines,
    at,
    (line) => line.trim() !== '' && !/^(#{1,3} |```|\|)/.test(line),
  )
  // a line that looks like the start of something else and is not
  const text = taken.length > 0 ? taken : [lines[at]!]
  return [{ kind: 'paragraph', line: inline(text.join(' ')) }, at + text.length]
}

function takeWhile(
  lines: readonly string[],
  at: number,
  goesOn: (line: string) => boolean,
): string[] {
  const end = lines.slice(at).findIndex((line) => !goesOn(line))
  return lines.slice(at, end < 0 ? undefined : at + end)
}

function inline(text: string): Inline[] {
  const pieces = [
    ...text.matchAll(/\*\*(.+?)\*\*|`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|[^*`[]+|[*`[]/g),
  ]
  const found: Inline[] = []
  for (const [whole, bold, code, label, href] of pieces) {
    const last = found.at(-1)
    if (bold !== undefined) found.push({ text: bold, style: 'bold' })
    else if (code !== undefined) found.push({ text: code, style: 'code' })
    else if (label !== undefined) found.push({ text: label, href })
    else if (last && !last.style && !last.href) last.text += whole
    else found.push({ text: whole })
  }
  return found
}
