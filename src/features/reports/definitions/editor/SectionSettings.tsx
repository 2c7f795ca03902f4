import { Checkbox, Group, Stack } from '@mantine/core'
import { memo } from 'react'
import { axesOf, type ReportSection } from '~/features/reports/cells/definition'
import { PickSeveral } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { CellEditor } from './CellEditor'
import {
  type DefinitionUpdater,
  type SharedParts,
  measureSource,
  withSection,
} from './definition-draft'
import { NamesEditor } from './NamesEditor'
import { type Path, useProblem } from './problems'
import { TestEditor } from './TestEditor'

type Props = {
  shared: SharedParts
  section: ReportSection
  at: number
  change: DefinitionUpdater
  changeLater: DefinitionUpdater
}

/** A section's name, columns and what it counts. Does not render again when one of its rows changes. */
export const SectionSettings = memo(Settings, ({ section: before, ...rest }, after) => {
  const { section, ...others } = after
  const names = new Set([
    ...Object.keys(before),
    ...Object.keys(section),
  ] as (keyof ReportSection)[])
  names.delete('rows')
  return (
    [...names].every((name) => before[name] === section[name]) &&
    (Object.keys(others) as (keyof typeof others)[]).every((name) => rest[name] === others[name])
  )
})

function Settings({ shared, section, at, change, changeLater }: Props) {
  const say = useSay()
  const path: Path = ['sections', at]
  const columnsProblem = useProblem([...path, 'columns'])
  const set = (next: (section: ReportSection) => ReportSection, isTyping = false) =>
    (isTyping ? changeLater : change)((now) => withSection(now, at, next))
  const source = measureSource(shared, section.measure)
  const axes = axesOf(section)
  const setAxes = (names: string[], total: boolean) =>
    set(({ columns: _, ...rest }) => {
      const [first] = names
      if (first === undefined) return rest
      const withTotal = total ? { total } : {}
      return {
        ...rest,
        columns:
          names.length === 1 ? { axis: first, ...withTotal } : { cross: names, ...withTotal },
      }
    })
  return (
    <>
      <NamesEditor
        names={section.names}
        onChange={(next) => set((now) => ({ ...now, names: next(now.names) }), true)}
        path={[...path, 'names']}
      />
      <CellEditor
        {...{ shared }}
        measure={section.measure}
        inherited={say('reportEditor.eachRow')}
        path={[...path, 'measure']}
        onChange={(measure) =>
          set(({ measure: _, ...rest }) => (measure === undefined ? rest : { ...rest, measure }))
        }
      />
      {source && section.where && (
        <TestEditor
          label={say('reportEditor.sectionWhere')}
          source={source}
          test={section.where}
          groups={Object.keys(shared.groups ?? {}).toSorted()}
          path={[...path, 'where']}
          onChange={(where) => set(({ where: _, ...rest }) => (where ? { ...rest, where } : rest))}
        />
      )}
      <Group gap="md" align="flex-end">
        <PickSeveral
          label={say('reportEditor.columns')}
          description={say('reportEditor.columnsHint')}
          placeholder={axes.length === 0 ? say('reportEditor.oneColumn') : undefined}
          value={axes}
          onChange={(names) => setAxes(names, section.columns?.total === true)}
          data={[...new Set([...Object.keys(shared.axes ?? {}), ...axes])]}
          maxValues={4}
          nothingFoundMessage={say('reportEditor.noAxes')}
          error={columnsProblem && say(columnsProblem)}
          flex="1 1 16rem"
        />
        <Stack gap={4}>
          <Checkbox
            label={say('reportEditor.total')}
            checked={section.columns?.total === true}
            disabled={axes.length === 0}
            onChange={(event) => setAxes(axes, event.currentTarget.checked)}
          />
          <Checkbox
            label={say('reportEditor.exclusive')}
            checked={section.exclusive === true}
            onChange={(event) => {
              const { checked } = event.currentTarget
              set(({ exclusive: _, ...rest }) => (checked ? { ...rest, exclusive: true } : rest))
            }}
          />
        </Stack>
      </Group>
    </>
  )
}
