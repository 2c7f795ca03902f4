import type { ReactNode } from 'react'

/** Lines of an A5 page that may be left empty for the sake of a text that is kept together. */
const LINES_TOGETHER = 10
const LETTERS_OF_LINE = 40

/** Text that users wrote is this long in lines of a narrow column, its own line breaks included. */
const linesIn = (text: string) =>
  text
    .split('\n')
    .reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / LETTERS_OF_LINE)), 0)

/** What `data-long-text` says: too long to be kept together on a page of paper (`global.css`). */
export const isLongText = (text: string) => linesIn(text) > LINES_TOGETHER

/**
 * Text that users wrote: its line breaks and its own direction stay. On paper a long one continues on the next page;
 * what holds a short one is kept together.
 */
export function RecordText({ children: text }: { children: string }): ReactNode {
  return (
    <bdi style={{ whiteSpace: 'pre-wrap' }} data-long-text={isLongText(text) || undefined}>
      {text}
    </bdi>
  )
}
