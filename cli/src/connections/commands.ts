import { type Command, Option } from 'commander';
import type { Connection, ConnectionTest } from '../api-client/administration.ts';
import { path } from '../api-client/path.ts';
import { EXIT } from '../exit-codes.ts';
import { examples } from '../help.ts';
import { jsonObject } from '../input/json-object.ts';
import { wholeNumber } from '../input/whole-number.ts';
import { formatDate, shellWord } from '../output/format.ts';
import type { Session } from '../session.ts';
import { addConnection, type ConnectionOptions } from './add-connection.ts';

export function addConnectionCommands(program: Command, session: Session): void {
  const connections = program.command('connections').description('connections to outside systems');

  connections
    .command('list')
    .description('list the connections, without their passwords')
    .addHelpText('after', examples('windhover connections list'))
    .action(() => listConnections(session));

  connections
    .command('show')
    .description('show a connection, without its password')
    .argument('<connId>')
    .addHelpText('after', examples('windhover connections show warehouse'))
    .action((connId: string) => showConnection(session, connId));

  const add = connections
    .command('add')
    .description('add a connection, by a URI or by its parts')
    .argument('<connId>')
    .option('--uri <uri>', 'all of it as a URI; - reads it from standard input')
    .option('--type <connType>', 'the type, such as postgres or aws')
    .option('--description <text>');
  for (const option of parts()) add.addOption(option.conflicts('uri'));
  add
    .addHelpText(
      'after',
      examples(
        'windhover connections add warehouse --uri - < warehouse-uri.txt',
        'windhover connections add warehouse --type postgres --host db.example.com --port 5432 --login etl --password -',
      ),
    )
    .action((connId: string, options: ConnectionOptions) => {
      if ((options.uri === undefined) === (options.type === undefined))
        add.error('error: pass either --uri or --type, which says what the other parts belong to');
      return addConnection(session, connId, options);
    });

  connections
    .command('delete')
    .description('delete a connection')
    .argument('<connId>')
    .addHelpText('after', examples('windhover connections delete warehouse'))
    .action((connId: string) => deleteConnection(session, connId));

  connections
    .command('test')
    .description('try a connection, on a worker; exit code 1 if it does not work')
    .argument('<connId>')
    .addHelpText('after', examples('windhover connections test warehouse'))
    .action((connId: string) => testConnection(session, connId));
}

/** Made anew each time, because an option remembers its conflicts. */
const parts = (): readonly Option[] => [
  new Option('--host <host>'),
  new Option('--port <port>').argParser(wholeNumber(1, 65_535)),
  new Option('--login <name>'),
  new Option('--password <password>', '- reads it from standard input'),
  new Option('--schema <schema>', 'the schema or database'),
  new Option('--extra <json>', 'an object with whatever else the type knows').argParser(jsonObject),
];

async function listConnections({ api, output }: Session): Promise<void> {
  output.table(await api.all<Connection>('/connections'), {
    columns: [
      { title: 'CONNECTION', value: ({ connId }) => connId },
      { title: 'TYPE', value: ({ connType }) => connType },
      { title: 'HOST', value: ({ host, port }) => (port === null ? host : `${host ?? ''}:${port}`), isFlexible: true },
      { title: 'LOGIN', value: ({ login }) => login, isFlexible: true },
      { title: 'PASSWORD', value: ({ hasPassword }) => (hasPassword ? 'yes' : 'no') },
      { title: 'DESCRIPTION', value: ({ description }) => description, isFlexible: true },
    ],
    empty: 'No connections. Add one with: windhover connections add <connId> --uri <uri>',
  });
}

async function showConnection({ api, output }: Session, connId: string): Promise<void> {
  output.answer(await api.get<Connection>(path`/connections/${connId}`), (connection) => {
    output.facts({
      connection: connection.connId,
      type: connection.connType,
      description: connection.description,
      host: connection.host,
      port: connection.port === null ? null : String(connection.port),
      login: connection.login,
      password: connection.hasPassword ? '***' : null,
      schema: connection.schema,
      extra: Object.keys(connection.extra ?? {}).length > 0 ? JSON.stringify(connection.extra) : null,
      updated: formatDate(connection.updatedAt),
    });
    output.next(`windhover connections test ${shellWord(connId)}`);
  });
}

async function deleteConnection({ api, output }: Session, connId: string): Promise<void> {
  await api.delete(path`/connections/${connId}`);
  output.answer({ deleted: connId }, () => output.line(`Deleted connection ${connId}.`));
}

async function testConnection(session: Session, connId: string): Promise<void> {
  const { api, output } = session;
  const result = await api.post<ConnectionTest>(path`/connections/${connId}/test`);
  if (!result.ok) session.exitCode = EXIT.failed;
  output.answer(result, ({ ok, message }) =>
    output.line(
      `Connection ${connId} ${ok ? output.paint('green', 'works') : output.paint('red', 'fails')}: ${message}`,
    ),
  );
}
