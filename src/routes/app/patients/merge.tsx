import { Alert, Button, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconArrowsExchange } from '@tabler/icons-react'
import { createFileRoute, redirect, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '~/client/api'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import type { Side } from '~/features/people/patients/duplicates/merge'
import { MergeList } from '~/features/people/patients/duplicates/MergeList'
import { MergeSides } from '~/features/people/patients/duplicates/MergeSides'
import { PatientPicker } from '~/features/people/patients/search/PatientPicker'
import { can } from '~/shared/actor'
import { askedQuestion } from '~/shared/earlier-day'
import { newId } from '~/shared/id'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { flag, id, page, defineSearch } from '~/shared/search-params'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

/** `isProposal`: two records were selected, and nobody has said yet which one to keep. */
const readSearch = defineSearch({ winner: id, loser: id, isProposal: flag, page })

export const Route = createFileRoute('/app/patients/merge')({
  validateSearch: readSearch,
  beforeLoad: onlyFor((actor) => can(actor, 'update_patient') && can(actor, 'delete_patient')),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { winner, loser, isProposal, page: pageNumber } }) => {
    const isPair = winner && loser && winner !== loser
    const [preview, merges, form, clinics] = await Promise.all([
      isPair ? api.patients.mergePreview({ winnerId: winner, loserId: loser }) : null,
      api.patients.merges({ page: pageNumber }),
      api.registrationForm.get(),
      api.clinics.names({}),
    ])
    if (preview && isProposal) {
      const [kept, other] = preview.proposed === 'winner' ? [winner, loser] : [loser, winner]
      throw redirect({
        to: '/app/patients/merge',
        search: { winner: kept, loser: other, page: pageNumber },
        replace: true,
      })
    }
    return { preview, merges, form, clinics }
  },
  pendingComponent: PageSkeleton,
  component: MergePage,
})

type Person = { id: string; name: string } | null

function MergePage() {
  const { preview, merges } = Route.useLoaderData()
  const { winner, loser } = Route.useSearch()
  const say = useSay()
  const router = useRouter()
  const [picked, setPicked] = useState<{ winner: Person; loser: Person }>({
    winner: preview?.winner ?? null,
    loser: preview?.loser ?? null,
  })

  function pick(next: { winner: Person; loser: Person }) {
    setPicked(next)
    void router.navigate({
      to: '/app/patients/merge',
      search: { winner: next.winner?.id, loser: next.loser?.id },
      replace: true,
    })
  }

  const isSame = winner !== undefined && winner === loser
  return (
    <Page
      title="merge.title"
      lead={say('merge.lead')}
      crumbs={[{ label: 'patients.title', to: '/app/patients' }]}
    >
      <Paper withBorder p="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <PatientPicker
            key={`winner-${picked.winner?.id}`}
            label="merge.winner"
            value={picked.winner}
            onChange={(person) => pick({ ...picked, winner: person })}
          />
          <PatientPicker
            key={`loser-${picked.loser?.id}`}
            label="merge.loser"
            value={picked.loser}
            onChange={(person) => pick({ ...picked, loser: person })}
            error={isSame ? say('merge.samePatient') : undefined}
          />
        </SimpleGrid>
        <Button
          mt="md"
          variant="default"
          leftSection={<IconArrowsExchange size={16} aria-hidden />}
          disabled={!picked.winner && !picked.loser}
          onClick={() => pick({ winner: picked.loser, loser: picked.winner })}
        >
          {say('merge.swap')}
        </Button>
      </Paper>
      {preview && (
        <Pair key={`${winner}-${loser}`} onDone={() => pick({ winner: null, loser: null })} />
      )}
      <div>
        <Title order={2} mb="sm">
          {say('merge.list')}
        </Title>
        <MergeList {...merges} />
      </div>
    </Page>
  )
}

const TABLES = [
  'visits',
  'patient_vitals',
  'patient_problems',
  'patient_additional_attributes',
  'appointments',
  'prescriptions',
  'prescription_items',
  'dispensing_records',
  'events',
] as const
const tableName = (table: string): MessageKey => {
  const known = TABLES.find((name) => name === table)
  return known ? `merge.table_${known}` : 'merge.table_other'
}

const isQuestion = (error: unknown) => askedQuestion(error) !== null

/** Both sides, what would move, and the button. */
function Pair({ onDone }: { onDone: () => void }) {
  const { preview, form, clinics } = Route.useLoaderData()
  const { viewer } = Route.useRouteContext()
  const say = useSay()
  const { run, pending } = useAction()
  const [choices, setChoices] = useState<Record<string, Side>>({})
  const [mergeId] = useState(newId)
  if (!preview) return null
  const { winner, loser, moves, entries } = preview

  async function merge() {
    const isMeant = await confirm({
      title: 'merge.mergeTitle',
      text: { key: 'merge.mergeText', values: { winner: winner.name, loser: loser.name } },
      action: 'merge.merge',
      destructive: true,
    })
    if (!isMeant) return
    const pair = { id: mergeId, winnerId: winner.id, loserId: loser.id, choices }
    const done = await saveAsking((confirmed) =>
      run(() => api.patients.merge({ ...pair, confirmed }), {
        success: 'merge.merged',
        answers: isQuestion,
      }),
    ).catch((error: unknown) => {
      // the user said no
      if (!isQuestion(error)) throw error
    })
    if (done) onDone()
  }

  return (
    <Stack gap="md">
      {entries.loser > entries.winner && (
        <Alert color="yellow" role="note">
          {say({
            key: 'merge.loserHasMore',
            values: { stays: entries.winner, moves: entries.loser },
          })}
        </Alert>
      )}
      <MergeSides
        preview={preview}
        form={form}
        clinics={clinics}
        language={viewer.language}
        choices={choices}
        onChoose={(name, side) => setChoices((current) => ({ ...current, [name]: side }))}
      />
      <Paper withBorder p="md">
        <Title order={2} size="h4" mb="xs">
          {say('merge.moves')}
        </Title>
        {moves.length === 0 ? (
          <Text size="sm">{say('merge.nothingMoves')}</Text>
        ) : (
          <List size="sm">
            {moves.map(({ table, count }) => (
              <List.Item key={table}>
                {say(tableName(table))}: {count}
              </List.Item>
            ))}
          </List>
        )}
      </Paper>
      <Group>
        <Button disabled={pending} onClick={() => void merge()}>
          {say('merge.merge')}
        </Button>
      </Group>
    </Stack>
  )
}
