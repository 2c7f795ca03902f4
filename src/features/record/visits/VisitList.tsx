import { Paper, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Actor } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { EmptyState } from '~/ui/EmptyState'
import { type Pagination, Paging } from '~/ui/Paging'
import { VisitCard } from './VisitCard'
import type { Visit } from './visits.server'

type Props = {
  rows: Visit[]
  pagination?: Pagination
  actor: Actor
  language: Language
  onEdit?: (visit: Visit) => void
  open?: ReactNode
  heading?: 'h2' | 'h3'
}

/** The visits of a patient, newest first. */
export function VisitList({ rows, pagination, open, ...card }: Props) {
  if (rows.length === 0) {
    return (
      <Paper withBorder>
        <EmptyState title="visits.empty" action={open} />
      </Paper>
    )
  }
  return (
    <Stack gap="sm">
      {rows.map((visit) => (
        <VisitCard key={visit.id} visit={visit} {...card} />
      ))}
      {pagination && pagination.total > pagination.pageSize && (
        <Paper withBorder>
          <Paging {...pagination} />
        </Paper>
      )}
    </Stack>
  )
}
