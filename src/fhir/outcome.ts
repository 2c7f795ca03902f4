/** The codes of issues that Sanad answers with (http://hl7.org/fhir/R4/valueset-issue-type.html). */
type IssueCode =
  | 'invalid'
  | 'structure'
  | 'required'
  | 'value'
  | 'not-supported'
  | 'not-found'
  | 'deleted'
  | 'conflict'
  | 'transient'
  | 'multiple-matches'
  | 'duplicate'
  | 'login'
  | 'forbidden'
  | 'too-long'
  | 'throttled'
  | 'business-rule'
  | 'exception'
  | 'processing'
  | 'informational'

export type Issue = {
  severity: 'error' | 'warning' | 'information'
  code: IssueCode
  diagnostics: string
  expression?: string[]
}

type Outcome = { resourceType: 'OperationOutcome'; issue: readonly Issue[] }

export const outcome = (issue: readonly Issue[]): Outcome => ({
  resourceType: 'OperationOutcome',
  issue,
})

/** A refusal of a FHIR request: its status, and what is wrong at which element. */
export class FhirError extends Error {
  readonly issues: readonly Issue[]
  constructor(
    readonly status: number,
    code: IssueCode,
    diagnostics: string,
    readonly expressions: readonly string[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(diagnostics)
    this.name = 'FhirError'
    const each = (expression?: string): Issue => ({
      severity: 'error',
      code,
      diagnostics,
      ...(expression && { expression: [expression] }),
    })
    this.issues = expressions.length > 0 ? expressions.map(each) : [each()]
  }
}

/** Elements that Sanad has no place for: refused, as nothing is dropped silently. */
export const unsupportedElements = (expressions: readonly string[]) =>
  new FhirError(
    422,
    'not-supported',
    'Sanad has no place for this element. Nothing was stored.',
    expressions,
  )

/** An element whose value cannot be stored. */
export const invalidElement = (expression: string, diagnostics: string) =>
  new FhirError(422, 'value', diagnostics, [expression])
