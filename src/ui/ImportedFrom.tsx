import { Text } from '@mantine/core'
import { useSay } from '~/shared/say'

/** The file that a record was imported from; nothing if it was not. */
export function ImportedFrom({ file }: { file: string | null }) {
  const say = useSay()
  return file ? (
    <Text size="xs" c="dimmed" component="div">
      {say({ key: 'imports.importedFrom', values: { file } })}
    </Text>
  ) : null
}
