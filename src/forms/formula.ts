/**
 * Arithmetic that users write: numbers, the letters a, b, c …, + - * / and brackets. Parsed here,
 * never run as code.
 */
type Formula =
  | { number: number }
  | { letter: number }
  | { operator: '+' | '-' | '*' | '/'; left: Formula; right: Formula }
  | { negated: Formula }

/** Limits the recursion of the parser. */
const DEEPEST = 30

/** Null if the text is not a formula, or uses another letter than the first `letters` ones. */
export function parseFormula(text: string, letters: number): Formula | null {
  const tokens = tokenize(text)
  if (!tokens) return null
  let at = 0
  const take = (...wanted: string[]) =>
    wanted.includes(tokens[at] ?? '') ? tokens[at++] : undefined

  function sum(depth: number): Formula | null {
    let left = product(depth)
    for (let operator = take('+', '-'); left && operator; operator = take('+', '-')) {
      const right = product(depth)
      left = right && { operator: operator as '+' | '-', left, right }
    }
    return left
  }
  function product(depth: number): Formula | null {
    let left = single(depth)
    for (let operator = take('*', '/'); left && operator; operator = take('*', '/')) {
      const right = single(depth)
      left = right && { operator: operator as '*' | '/', left, right }
    }
    return left
  }
  function single(depth: number): Formula | null {
    if (depth > DEEPEST) return null
    if (take('-')) {
      const negated = single(depth + 1)
      return negated && { negated }
    }
    if (take('(')) {
      const inner = sum(depth + 1)
      return take(')') ? inner : null
    }
    const token = tokens?.[at++]
    if (token === undefined) return null
    if (/^[a-j]$/.test(token)) {
      const letter = token.charCodeAt(0) - 97
      return letter < letters ? { letter } : null
    }
    return /^\d/.test(token) ? { number: Number(token) } : null
  }

  const formula = sum(0)
  return at === tokens.length ? formula : null
}

function tokenize(text: string): string[] | null {
  const plain = text.toLowerCase().replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-')
  const tokens = plain.match(/\d+(?:\.\d+)?|[a-j]|[-+*/()]/g) ?? []
  // `match` skips other characters: the text then differs from its tokens
  return tokens.length > 0 && tokens.join('') === plain.replaceAll(/\s/g, '') ? tokens : null
}

/** The result with the values of a, b, c …; null for a division by zero or a missing value. */
export function evaluateFormula(formula: Formula, values: readonly number[]): number | null {
  if ('number' in formula) return formula.number
  if ('letter' in formula) return values[formula.letter] ?? null
  if ('negated' in formula) {
    const value = evaluateFormula(formula.negated, values)
    return value === null ? null : -value
  }
  const left = evaluateFormula(formula.left, values)
  const right = evaluateFormula(formula.right, values)
  if (left === null || right === null) return null
  if (formula.operator === '+') return left + right
  if (formula.operator === '-') return left - right
  if (formula.operator === '*') return left * right
  return right === 0 ? null : left / right
}
