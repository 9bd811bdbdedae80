export { ConformanceError, type ConformanceTest } from './conformance-test.ts';
