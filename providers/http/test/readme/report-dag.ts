import { dag, eq, template } from '@windhover/core';
import { HttpJobOperator, HttpOperator, HttpSensor } from '@windhover/provider-http';

export const report = dag('report', { schedule: '@monthly', startDate: new Date('2026-01-01') }, () => {
  const ready = new HttpSensor({ taskId: 'ready', httpConnId: 'reports', endpoint: '/ready' });
  const made = new HttpJobOperator({
    taskId: 'make',
    httpConnId: 'reports',
    submit: {
      endpoint: '/jobs',
      data: { month: template(({ logicalDate }) => logicalDate.toISOString().slice(0, 7)) },
    },
    status: { endpoint: '/jobs/{handle}' },
    isDone: eq('status', 'done'),
    isFailed: eq('status', 'failed'),
    result: { endpoint: '/jobs/{handle}/result' },
    cancel: { endpoint: '/jobs/{handle}' },
  });
  const items = new HttpOperator({
    taskId: 'items',
    httpConnId: 'reports',
    method: 'GET',
    endpoint: '/items',
    paginationFunction: ({ data }) => (data.next ? { params: { page: data.next } } : null),
    responseFilter: (pages) => pages.flatMap(({ data }) => data.items).length,
  });
  ready.before(made).before(items);
});
