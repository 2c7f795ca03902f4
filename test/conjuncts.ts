import { parseSync, type Plugin } from 'vite'

/** One operand of `&&` in a guard (`allow`) of an operation: its text and where it is in the file. */
type Conjunct = { text: string; start: number; end: number }

type Node = {
  type?: string
  start: number
  end: number
  key?: { name?: string }
  operator?: string
  left: Node
  right: Node
}

export function conjunctsOf(file: string, code: string): Conjunct[] {
  const found: Conjunct[] = []
  const visit = (node: unknown, inGuard: boolean) => {
    if (typeof node !== 'object' || node === null) return
    const { type, key, operator, left, right } = node as Node
    const isGuard = inGuard || (type === 'Property' && key?.name === 'allow')
    if (isGuard && operator === '&&')
      for (const { start, end, operator: inner } of [left, right])
        if (inner !== '&&') found.push({ text: code.slice(start, end), start, end })
    for (const child of Object.values(node)) visit(child, isGuard)
  }
  if (code.includes('allow:')) visit(parseSync(file, code).program, false)
  return found
}

/** `import('<file>?conjunct=2')` is the module in which the third of its conjuncts is `true`. */
const withoutConjunct: Plugin = {
  name: 'without-conjunct',
  enforce: 'pre',
  transform(code, id) {
    const [, file, at] = /^(.+)\?conjunct=(\d+)$/.exec(id) ?? []
    if (!file) return undefined
    const { start, end } = conjunctsOf(file, code)[Number(at)]!
    return `${code.slice(0, start)}true${code.slice(end)}`
  },
}

export default withoutConjunct
