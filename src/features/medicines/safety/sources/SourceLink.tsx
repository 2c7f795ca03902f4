import { Anchor } from '@mantine/core'
import type { PublishedSource } from '../rules/rule'

/** A published source; a label or a book without a page of its publisher is text. */
export function SourceLink({ source: { text, url } }: { source: PublishedSource }) {
  const name = <bdi dir="ltr">{text}</bdi>
  if (!url) return name
  return (
    <Anchor
      href={url}
      target="_blank"
      rel="noreferrer"
      inherit
      underline="always"
      style={{ overflowWrap: 'anywhere' }}
    >
      {name}
    </Anchor>
  )
}
