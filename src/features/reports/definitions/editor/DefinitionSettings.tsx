import { Autocomplete, Paper, SimpleGrid, Stack, TextInput, Title } from '@mantine/core'
import { memo } from 'react'
import { BP_OF_DAY } from '~/features/reports/cells/definition'
import { PERIOD_KINDS } from '~/features/reports/cells/period'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import type { DefinitionUpdater, DefinitionDraft } from './definition-draft'
import { NamesEditor } from './NamesEditor'
import { useProblem } from './problems'

type Props = {
  draft: DefinitionDraft
  change: DefinitionUpdater
  changeLater: DefinitionUpdater
  isNew: boolean
}

const PAGES = ['A4', 'A4 landscape', 'A5', 'A5 landscape']

/**
 * The report's names, its period, and how it is printed. Does not render again when a section
 * changes.
 */
export const DefinitionSettings = memo(
  Settings,
  (before, after) =>
    before.isNew === after.isNew &&
    (['names', 'period', 'closable_from', 'page', 'bp_of_day', 'code'] as const).every(
      (name) => before.draft[name] === after.draft[name],
    ),
)

function Settings({ draft, change, changeLater, isNew }: Props) {
  const say = useSay()
  const codeProblem = useProblem(['code'])
  const dayProblem = useProblem(['closable_from'])
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="sm">
        {say('reportEditor.about')}
      </Title>
      <Stack gap="md">
        <NamesEditor
          names={draft.names}
          onChange={(next) => changeLater((now) => ({ ...now, names: next(now.names) }))}
          path={['names']}
          isAdded={isNew}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <PickList
            label={say('reportEditor.period')}
            value={draft.period}
            onChange={(value) => {
              const period = PERIOD_KINDS.find((kind) => kind === value)
              if (period) change((now) => ({ ...now, period }))
            }}
            data={PERIOD_KINDS.map((value) => ({
              value,
              label: say(`reportEditor.period_${value}`),
            }))}
            allowDeselect={false}
          />
          <NumberBox
            label={say('reportEditor.closableFrom')}
            description={say('reportEditor.closableHint')}
            value={draft.closable_from ?? null}
            onChange={(day) =>
              change(({ closable_from: _, ...rest }) =>
                day === '' ? rest : { ...rest, closable_from: day },
              )
            }
            error={dayProblem && say(dayProblem)}
          />
          <Autocomplete
            label={say('reportEditor.page')}
            value={draft.page ?? ''}
            onChange={(page) => change(({ page: _, ...rest }) => (page ? { ...rest, page } : rest))}
            data={PAGES}
            maxLength={40}
          />
          <PickList
            label={say('reportEditor.bpOfDay')}
            description={say('reportEditor.bpOfDayHint')}
            value={draft.bp_of_day ?? 'last'}
            onChange={(value) =>
              change(({ bp_of_day: _, ...rest }) =>
                value === 'mean' ? { ...rest, bp_of_day: value } : rest,
              )
            }
            data={BP_OF_DAY.map((value) => ({
              value,
              label: say(`reportEditor.bpOfDay_${value}`),
            }))}
            allowDeselect={false}
          />
          <TextInput
            label={say('reportEditor.code')}
            description={say('reportEditor.codeHint')}
            value={draft.code}
            onChange={(event) => {
              const code = event.currentTarget.value
              change((now) => ({ ...now, code }))
            }}
            error={codeProblem && say(codeProblem)}
            maxLength={60}
            dir="ltr"
            autoComplete="off"
          />
        </SimpleGrid>
      </Stack>
    </Paper>
  )
}
