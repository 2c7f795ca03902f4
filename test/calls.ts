import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'

type Node = { type: string; start: number; end: number } & Record<string, unknown>

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

const partsOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode)

/** Sources of the product, parsed. */
const sources = globSync('src/**/*.{ts,tsx}')
  .filter((file) => !/\.test\.tsx?$|\.gen\.ts$/.test(file))
  .map((file) => {
    const text = readFileSync(file, 'utf8')
    return { file: file.slice('src/'.length), text, program: parseSync(file, text).program }
  })

/** `file: callee(...argument)` of each call that takes a list apart into its arguments. */
export function spreadCalls(): string[] {
  return sources.flatMap(({ file, text, program }) => {
    const textOf = ({ start, end }: Node) => text.slice(start, end).replaceAll(/\s+/g, ' ')
    const found: string[] = []
    const visit = (node: Node) => {
      if (node.type === 'CallExpression' || node.type === 'NewExpression')
        for (const argument of node['arguments'] as Node[])
          if (argument.type === 'SpreadElement')
            found.push(
              `${file}: ${textOf(node['callee'] as Node).split(' =>', 1)[0]!}(${textOf(argument)})`,
            )
      partsOf(node).forEach(visit)
    }
    visit(program as unknown as Node)
    return found
  })
}

/** `file: name` of each function that calls itself, by others of its file or as their callback as well. */
export function recursions(): string[] {
  return sources.flatMap(({ file, program }) => {
    const calls = new Map<string, Set<string>>()
    const visit = (node: Node, inside: readonly string[]) => {
      const name = nameOf(node)
      if (name !== undefined && !calls.has(name)) calls.set(name, new Set())
      const around = name === undefined ? inside : [...inside, name]
      if (node.type === 'CallExpression')
        for (const called of calledBy(node)) for (const one of around) calls.get(one)!.add(called)
      for (const part of partsOf(node)) visit(part, around)
    }
    visit(program as unknown as Node, [])
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(calls.get(from) ?? [])].some((next) => {
        if (next === to) return true
        if (seen.has(next)) return false
        seen.add(next)
        return reaches(next, to, seen)
      })
    return [...calls.keys()].filter((name) => reaches(name, name)).map((name) => `${file}: ${name}`)
  })
}

const identifier = (node: unknown) =>
  isNode(node) && node.type === 'Identifier' ? (node['name'] as string) : undefined

const isFunction = (node: unknown) => isNode(node) && node.type.includes('Function')

/** The name of a function: of a method with `this.` before it. */
function nameOf(node: Node): string | undefined {
  if (node.type === 'FunctionDeclaration') return identifier(node['id'])
  if (node.type === 'VariableDeclarator' && isFunction(node['init'])) return identifier(node['id'])
  const isMember = ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(node.type)
  const key = isMember && isFunction(node['value']) ? identifier(node['key']) : undefined
  return key && `this.${key}`
}

function calledBy(call: Node): string[] {
  const callee = call['callee'] as Node
  const isOwn = isNode(callee['object']) && callee['object'].type === 'ThisExpression'
  const own = isOwn ? `this.${identifier(callee['property'])}` : identifier(callee)
  const callbacks = (call['arguments'] as Node[]).map(identifier)
  return [own, ...callbacks].filter((name) => name !== undefined)
}
